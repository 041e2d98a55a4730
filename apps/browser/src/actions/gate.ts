// Holds an act to the rules of its task, by what the page is in the moment of the touch: it acts, or says what a person has to
// agree to, or refuses. Knows nothing of a model, and takes no page's word for a yes.

import { createHash } from 'node:crypto';
import type { AskedAct, Gate, GateVerdict } from '@pilothouse/bus';
import { actClasses, type Step } from '@pilothouse/contract';
import { type ActFacts, type Classified, classify, siteOf, type Verdict, verdictOn } from '@pilothouse/policy';
import type { Page } from 'playwright-core';
import type { Deadline } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { type FoundElement, type HeldLook, holdIn } from '../dom/element.ts';
import type { ActLook } from '../dom/injected/act-facts.ts';
import { focusedAmong } from '../dom/touched-look.ts';
import type { DocumentsOf } from '../dom/worlds/typing-target.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import { amountsIn } from './amounts.ts';

type Options = { gate: Gate; step: Step; page: Page; dialogs: Dialogs; documentsOf: DocumentsOf };
type Act = Pick<Options, 'gate' | 'step' | 'page' | 'dialogs'>;
type Box = AskedAct['bbox'];
/** One look at what is about to be touched. `frame`: the origin of its document. */
type GateLook = {
  look: ActLook | null;
  onto: ActLook | null;
  frame: string | undefined;
  /** Of the links of the page that lead where the step leads. */
  linkNames?: string[];
  /** Of an act that a person said yes to. */
  held?: HeldLook;
};
type Touched = { element: FoundElement | undefined; onto?: FoundElement };

/** Acts that leave a page, whatever its site: one must be able to leave a page that is refused. */
const leaving = new Set<Step['action']>(['navigate', 'new_page', 'back', 'forward', 'close_page', 'focus_page']);
/** Acts whose class does not depend on the element. */
const unlooked = new Set<Step['action']>([
  'hover',
  'scroll',
  'extract',
  'screenshot',
  'wait',
  'reload',
  'answer_dialog',
  ...leaving,
]);
/** Acts that are one press of a button or a key. A drag changes the page on its way, so that it cannot be held. */
const pressing = new Set<Step['action']>(['click', 'double_click', 'press', 'check', 'download']);
const maxValueChars = 500;

export type ActGate = ReturnType<typeof createGate>;

export function createGate(act: Options) {
  let verdict: GateVerdict | undefined;
  let held: HeldLook | undefined;
  const letGo = () => {
    held?.letGo();
    held = undefined;
  };

  return {
    /** What is known of the act without looking closer, by one question to the document. */
    look: (touched: Touched, deadline: Deadline) => lookAt(act, touched, false, deadline),

    /** Throws where the act may not be done now. */
    async judge(touched: Touched, first: GateLook, bbox: Box, deadline: Deadline): Promise<void> {
      const found = classOf(act, first);
      const { outcome, sentence } = verdictOf(act, found, first);
      verdict = { class: found.class, outcome, sentence };
      if (outcome === 'allow') return;
      if (outcome === 'deny') throw refusal('refused', verdict);
      if (outcome === 'watch') throw refusal('needs_watcher', verdict);
      // Everything that the yes depends on is from one look.
      letGo();
      const seen = await lookAt(act, touched, true, deadline);
      held = seen.held;
      const again = classOf(act, seen);
      verdict = { class: again.class, outcome, sentence };
      const asked = askedActOf(act, again, seen, bbox);
      if (asked.fingerprint === act.gate.yes) return;
      letGo();
      throw new StepFailure('needs_yes', sentence, { judged: { verdict, asked } });
    },

    /** What the page that a person said yes to did with the touch; undefined where nothing was held to a yes. */
    held: async (deadline: Deadline) => held && ((await held.state(deadline)) ?? 'gone'),
    letGo,

    verdict: () => verdict,
  };
}

/** What the rules say of an act, by one look at what it would touch. */
export const judgeLook = (act: Act, seen: GateLook): Verdict => verdictOf(act, classOf(act, seen), seen);

async function lookAt(
  { gate, step, page, documentsOf }: Options,
  { element, onto }: Touched,
  isNear: boolean,
  deadline: Deadline,
): Promise<GateLook> {
  const nothing = { look: null, onto: null, frame: element?.origin };
  if (gate.is_new_address && 'url' in step && step.url !== undefined)
    return { ...nothing, linkNames: await linksTo(step.url, page, documentsOf, deadline) };
  if (unlooked.has(step.action)) return nothing;
  const isHeld = isNear && gate.yes !== undefined && pressing.has(step.action);
  if (element) {
    const [looked, other] = await Promise.all([
      isHeld ? element.holdAct(deadline) : element.actLook(isNear, deadline).then((look) => ({ look })),
      onto ? onto.actLook(false, deadline) : null,
    ]);
    return { look: looked.look, onto: other, frame: element.origin, ...('state' in looked && { held: looked }) };
  }
  if (step.action !== 'press' || !isPressingKey(step.key)) return nothing;
  const focused = await focusedAmong(await documentsOf(page, deadline), (world) =>
    world.call('focusLook', [isNear], deadline),
  );
  if (!focused) return nothing;
  const held = isHeld ? await holdIn(focused.world, null, deadline) : undefined;
  return { look: held ? held.look : focused.look, onto: null, frame: focused.world.origin, ...(held && { held }) };
}

async function linksTo(url: string, page: Page, documentsOf: DocumentsOf, deadline: Deadline): Promise<string[]> {
  const worlds = await documentsOf(page, deadline);
  return (await Promise.all(worlds.map((world) => world.call('linkNames', [url], deadline)))).flat();
}

/** The strictest class of what a touch may reach. */
function classOf({ gate, step, page, dialogs }: Act, { look, onto, frame, linkNames }: GateLook): Classified {
  const common: ActFacts = {
    action: step.action,
    page_origin: originOf(page.url()),
    to_origin: toOf(step),
    known_origins: gate.known_origins,
    link_names: linkNames,
    shown_at: gate.shown_at,
    goes_to: [frame ?? page.url(), look?.identity.form?.action].flatMap((url) => (url ? hostOf(url) : [])),
    ...(step.action === 'select' && { option: step.option }),
    irreversible: step.irreversible === true,
    ...(step.action === 'press' && { key: step.key }),
    ...(onto && { onto: { name: onto.identity.name } }),
    ...(step.action === 'answer_dialog' && {
      dialog: { message: dialogs.of(page)?.message ?? '', accept: step.accept },
    }),
  };
  const all = look ? look.facts.map((element) => classify({ ...common, element })) : [classify(common)];
  return all.reduce((one, other) => (rankOf(other) > rankOf(one) ? other : one));
}

function verdictOf(act: Act, classified: Classified, seen: GateLook): Verdict {
  const { gate } = act;
  const standing = {
    isGiven: gate.is_given,
    isWatched: gate.is_watched,
    isUnsaid: gate.is_unsaid,
    isAfterNo: gate.is_after_no,
    carriesMuch: gate.carries_much,
    grants: gate.grants,
    site: siteFor(act, seen),
  };
  return verdictOn(classified, originsOf(act, seen), gate.rules, standing);
}

function originsOf({ step, page }: Act, { look, frame }: GateLook): string[] {
  const to = toOf(step);
  if (leaving.has(step.action)) return to === undefined ? [] : [to];
  const links = look?.facts.flatMap(({ href_origin }) => href_origin ?? []) ?? [];
  const form = sentTo(step, look);
  return [originOf(page.url()), ...(frame ? [frame] : []), ...links, ...(form ? [form] : [])];
}

/** The origin that the form of the element is sent to, if this act may send it. */
function sentTo(step: Step, look: ActLook | null): string | undefined {
  const action = look?.identity.form?.action;
  const maySend = step.action === 'press' || look?.facts.some(({ submits }) => submits) === true;
  return action && maySend ? originOf(action) : undefined;
}

const siteFor = ({ step, page }: Act, { look, frame }: GateLook): string =>
  siteOf({ to: toOf(step), frame, page: originOf(page.url()), form: sentTo(step, look) });

function askedActOf(act: Act, classified: Classified, seen: GateLook, bbox: Box): AskedAct {
  const { step, page, dialogs } = act;
  const { look, onto, frame } = seen;
  const dialog = step.action === 'answer_dialog' ? dialogs.of(page) : null;
  const value = look?.facts[0]?.secret === true ? null : valueIn(step, onto);
  const told = {
    role: look?.identity.role ?? (dialog ? 'dialog' : null),
    name: look?.identity.name ?? dialog?.message ?? null,
    value: value === null ? null : value.slice(0, maxValueChars).toWellFormed(),
    page: placeOf(page.url()),
    frame_origin: frame !== undefined && frame !== originOf(page.url()) ? frame : null,
    form_action: look?.identity.form?.action ?? null,
    amounts: amountsIn([look?.near, dialog?.message].join('\n')),
  };
  // The whole value, and what a click reaches: what is shown to the person is cut short.
  const reached = look?.facts.map(({ role, name, submits, href_origin }) => [role, name, submits, href_origin]);
  const bound = { ...told, action: step.action, class: classified.class, value, reached };
  const fingerprint = createHash('sha256').update(JSON.stringify(bound)).digest('hex');
  return { fingerprint, site: siteFor(act, seen), ...told, bbox };
}

const refusal = (failure: 'refused' | 'needs_watcher', verdict: GateVerdict) =>
  new StepFailure(failure, verdict.sentence, { judged: { verdict } });

const rankOf = ({ class: name }: Classified): number => actClasses.indexOf(name);
const originOf = (url: string): string => URL.parse(url)?.origin ?? 'null';
const toOf = (step: Step): string | undefined => ('url' in step && step.url ? originOf(step.url) : undefined);
const hostOf = (url: string): string => URL.parse(url)?.host ?? '';
const isPressingKey = (key: string): boolean => /(^|\+)(Enter|Space| |Delete|Backspace)$/.test(key);

function placeOf(url: string): string | null {
  const { origin, pathname } = URL.parse(url) ?? {};
  return origin === undefined || origin === 'null' ? null : `${origin}${pathname}`;
}

function valueIn(step: Step, onto: ActLook | null): string | null {
  switch (step.action) {
    case 'type':
      return step.text;
    case 'select':
      return step.option;
    case 'upload':
      return step.file;
    case 'check':
      return step.checked ? 'on' : 'off';
    case 'press':
      return step.key;
    case 'navigate':
    case 'new_page':
      return step.url ?? null;
    case 'answer_dialog':
      return step.text ?? null;
    case 'drag':
      return onto?.identity.name ?? null;
    default:
      return null;
  }
}
