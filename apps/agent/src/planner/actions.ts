// Turns the tool calls of one answer into steps of the plan. Decides nothing about what a step may do: that is policy.

import { OnlyIf, type View, type ViewHandle } from '@pilothouse/bus';
import { Step, type Target } from '@pilothouse/contract';
import type { DecisionRow } from '@pilothouse/store';
import { z } from 'zod';
import type { ModelCall } from '../model/types.ts';
import type { ToolInput, ToolName } from './tools.ts';

/** A tool call as it is kept: with its steps in the decision (from 0), or the reason why it has none. */
const StoredCall = z.object({
  id: z.string(),
  name: z.string(),
  input: z.json(),
  /** The first of its steps, and how many. Absent for calls that need none. */
  steps: z.tuple([z.int().nonnegative(), z.int().positive()]).optional(),
  refused: z.string().optional(),
  /** Its last step sends a form. Absent in decisions of an earlier release. */
  submits: z.literal(true).optional(),
  /** For each of its steps, what must hold when it touches its element: what the model was shown of it. */
  only_if: z.array(OnlyIf.nullable()).optional(),
});
export type StoredCall = z.output<typeof StoredCall>;
/** The column `actions` of a decision. A later release reads what this one wrote. */
export const StoredActions = z.object({
  version: z.literal(1),
  calls: z.array(StoredCall),
  /** Origins of the links that the model was shown: it may open these. Absent in decisions of an earlier release. */
  links: z.array(z.string()).optional(),
});
export type StoredActions = z.output<typeof StoredActions>;

export type Actions = { steps: Step[]; stored: StoredActions; finish?: ToolInput<'finish'> };
type Page = Pick<View, 'url' | 'handles'>;
/** `isLast`: what follows has to be decided on the page that comes after it. */
type Made = { steps: Step[]; isLast: boolean };

const maxActs = 5;
const maxLinks = 100;
const screenPx = 720;
const nameChars = 80;
/** These act on nothing. */
const free = new Set<string>(['look', 'remember', 'plan'] satisfies ToolName[]);

export function actionsOf(calls: readonly ModelCall[], page: Page, maxSteps: number): Actions {
  const steps: Step[] = [];
  const stored: StoredCall[] = [];
  let finish: Actions['finish'];
  let acts = 0;
  /** Why no further act is taken from this answer. */
  let stopped: string | undefined;

  for (const call of calls) {
    const { id, name } = call;
    const kept = { id, name, input: z.json().catch(null).parse(call.input) };
    const refuse = (reason: string) => stored.push({ ...kept, refused: reason });
    if (call.invalid !== undefined) refuse(call.invalid);
    else if (free.has(name)) stored.push(kept);
    else if (stopped !== undefined) refuse(stopped);
    else if (name === 'finish') {
      if (steps.length > 0) refuse('Not done: look at the result of the acts before you finish.');
      else {
        finish = call.input as ToolInput<'finish'>;
        stored.push(kept);
        stopped = 'Not done: the task is finished.';
      }
    } else {
      const made = acts < maxActs ? stepsOf(call, page) : `Not done: one answer has at most ${maxActs} acts.`;
      if (typeof made === 'string') refuse(made);
      else if (steps.length + made.steps.length > maxSteps) refuse('Not done: the task has no steps left.');
      else {
        const only_if = made.steps.map((step) => shownOf(page, step));
        const submits = made.steps.some((step) => doesSubmit(page, step)) && { submits: true as const };
        stored.push({ ...kept, steps: [steps.length, made.steps.length], only_if, ...submits });
        steps.push(...made.steps);
        acts += 1;
      }
      if (typeof made === 'string') stopped = 'Not done: an act before it was refused.';
      else if (made.isLast) stopped = 'Not done: the act before it may change the page. Decide when you see the page.';
    }
  }
  return { steps, stored: { version: 1, calls: stored, ...linksOf(page) }, finish };
}

/** Other sites than that of the page; most pages have none. */
function linksOf({ url, handles }: Page): { links?: string[] } {
  const own = URL.parse(url)?.origin;
  const links = [...new Set(handles.flatMap(({ href_origin }) => href_origin ?? []))].filter((one) => one !== own);
  return links.length > 0 ? { links: links.slice(0, maxLinks) } : {};
}

/** What the model was shown of the element that a step touches; null for a step without one. */
function shownOf({ handles }: Page, step: Step): OnlyIf | null {
  const target = 'target' in step ? step.target : 'from' in step ? step.from : undefined;
  const ref = typeof target === 'object' && 'ref' in target ? target.ref : undefined;
  const shown = handles.find((handle) => handle.ref === ref);
  return shown ? { origin: shown.frame_origin, role: shown.role, name: shown.name } : null;
}

/** Sends a form, or does what cannot be undone. */
function doesSubmit({ handles }: Page, step: Step): boolean {
  if ('irreversible' in step && step.irreversible) return true;
  if (step.action === 'press') return step.key === 'Enter';
  if (step.action !== 'click' || typeof step.target !== 'object' || !('ref' in step.target)) return false;
  const { ref } = step.target;
  return handles.find((handle) => handle.ref === ref)?.submits === true;
}

/** What must hold for this step of the plan, by the decision that it belongs to. */
export function onlyIfOf({ actions, first_step }: DecisionRow, index: number): OnlyIf | undefined {
  const offset = index - first_step;
  for (const { steps: [first, count] = [0, 0], only_if = [] } of StoredActions.parse(actions).calls)
    if (offset >= first && offset < first + count) return only_if[offset - first] ?? undefined;
  return undefined;
}

/** The steps of one call, or why there are none. */
function stepsOf(call: ModelCall, page: Page): Made | string {
  try {
    const made = makers[call.name as keyof typeof makers]?.(call.input as never, page);
    if (!made) return `There is no tool ${call.name}.`;
    return { ...made, steps: made.steps.map((step) => Step.parse(step)) };
  } catch (error) {
    if (error instanceof Unusable) return error.message;
    if (error instanceof z.ZodError) return misfitOf(error);
    throw error;
  }
}

function misfitOf({ issues: [first] }: z.ZodError): string {
  const where = first && first.path.length > 0 ? `${first.path.join('.')} ` : '';
  return `The input does not fit: ${where}${first?.message ?? 'unknown'}.`;
}

/** The model called a tool with something that the page or the task does not have. */
class Unusable extends Error {}

function handleOf({ handles }: Page, ref: string): ViewHandle {
  const found = handles.find((handle) => handle.ref === ref);
  if (!found) throw new Unusable(`There is no handle ${JSON.stringify(ref)} in the page that you were shown.`);
  return found;
}

/** A frame of another site has to be named, so that nothing there is meant by accident. */
function targetOf(page: Page, { ref, frame_origin }: ViewHandle): Target {
  const isElsewhere = frame_origin !== 'null' && frame_origin !== URL.parse(page.url)?.origin;
  return { ref, ...(isElsewhere && { frame: frame_origin }) };
}

/** Titles are shown to people, who do not know handles. */
const named = (verb: string, { role, name }: ViewHandle): { title: string } => ({
  title: `${verb} ${name ? `"${name.slice(0, nameChars).toWellFormed()}"` : `a ${role}`}`,
});

const leads = ({ submits, href_origin }: ViewHandle): boolean => submits || href_origin !== null;

/** The words of the tool, in those of the interface. */
const askKinds = { text: 'question', choice: 'choice', yes_no: 'yes_no', wheel: 'drive' } as const;

type Maker<Name extends ToolName> = (input: ToolInput<Name>, page: Page) => Made;
type Makers = { [Name in Exclude<ToolName, 'look' | 'remember' | 'plan' | 'finish'>]: Maker<Name> };

const makers: Makers = {
  open: ({ url, new_tab }) => ({ steps: [{ action: new_tab ? 'new_page' : 'navigate', url }], isLast: true }),
  go: ({ to }) => ({ steps: [{ action: to }], isLast: true }),
  click({ ref, count, irreversible }, page) {
    const handle = handleOf(page, ref);
    const act = { target: targetOf(page, handle), ...(irreversible && { irreversible }) };
    const step: Step =
      count === 2
        ? { action: 'double_click', ...act, ...named('Double-click', handle) }
        : { action: 'click', ...act, ...named('Click', handle) };
    return { steps: [step], isLast: irreversible === true || leads(handle) };
  },
  fill({ items, then_press }, page) {
    const steps = items.map((item): Step => fillStep(item, page));
    const last = items.at(-1);
    if (then_press === undefined || !last) return { steps, isLast: false };
    const target = targetOf(page, handleOf(page, last.ref));
    return { steps: [...steps, { action: 'press', key: then_press, target }], isLast: true };
  },
  choose({ ref, option }, page) {
    const handle = handleOf(page, ref);
    const step: Step = { action: 'select', target: targetOf(page, handle), option, ...named('Choose in', handle) };
    return { steps: [step], isLast: false };
  },
  press({ key, ref }, page) {
    const target = ref === undefined ? undefined : targetOf(page, handleOf(page, ref));
    return { steps: [{ action: 'press', key, ...(target && { target }) }], isLast: key === 'Enter' };
  },
  hover({ ref }, page) {
    const handle = handleOf(page, ref);
    return {
      steps: [{ action: 'hover', target: targetOf(page, handle), ...named('Point at', handle) }],
      isLast: false,
    };
  },
  drag({ from, to }, page) {
    const [one, other] = [handleOf(page, from), handleOf(page, to)];
    const step: Step = { action: 'drag', from: targetOf(page, one), to: targetOf(page, other), ...named('Drag', one) };
    return { steps: [step], isLast: false };
  },
  scroll({ ref, screens = 1 }, page) {
    if (ref === undefined)
      return { steps: [{ action: 'scroll', delta_y: Math.round(screens * screenPx) }], isLast: false };
    const handle = handleOf(page, ref);
    return {
      steps: [{ action: 'scroll', target: targetOf(page, handle), ...named('Scroll to', handle) }],
      isLast: false,
    };
  },
  upload({ ref, file }, page) {
    const handle = handleOf(page, ref);
    return {
      steps: [{ action: 'upload', target: targetOf(page, handle), file, ...named('Upload to', handle) }],
      isLast: false,
    };
  },
  download({ ref }, page) {
    const handle = handleOf(page, ref);
    return {
      steps: [{ action: 'download', target: targetOf(page, handle), ...named('Download', handle) }],
      isLast: true,
    };
  },
  tab: ({ page: id, close }) => ({ steps: [{ action: close ? 'close_page' : 'focus_page', page: id }], isLast: true }),
  answer_dialog: ({ accept, text }) => ({
    steps: [{ action: 'answer_dialog', accept, ...(text !== undefined && { text }) }],
    isLast: true,
  }),
  wait({ text, url, secs }) {
    const given = [text, url, secs].filter((one) => one !== undefined);
    if (given.length !== 1) throw new Unusable('Give one of text, url and secs.');
    const reason = text !== undefined ? { text } : url !== undefined ? { url } : { secs: secs ?? 0 };
    return { steps: [{ action: 'wait', for: reason, ...(secs === undefined && { timeout_secs: 15 }) }], isLast: true };
  },
  extract({ kind, as, ref, each, fields }, page) {
    const handle = ref === undefined ? undefined : handleOf(page, ref);
    const step: Step = {
      action: 'extract',
      kind,
      as,
      ...(handle && { target: targetOf(page, handle) }),
      ...(each !== undefined && { each }),
      ...(fields && { fields: Object.fromEntries(fields.map(({ name, ...field }) => [name, field])) }),
    };
    return { steps: [step], isLast: false };
  },
  ask({ question, kind, choices, until_text, until_url }) {
    const until =
      until_text !== undefined ? { text: until_text } : until_url !== undefined ? { url: until_url } : undefined;
    const asked = { ...(kind && { kind: askKinds[kind] }), ...(choices && { choices }), ...(until && { until }) };
    return { steps: [{ action: 'ask', question, ...asked }], isLast: true };
  },
};

function fillStep({ ref, text, option, checked }: ToolInput<'fill'>['items'][number], page: Page): Step {
  const handle = handleOf(page, ref);
  const target = targetOf(page, handle);
  if ([text, option, checked].filter((one) => one !== undefined).length !== 1)
    throw new Unusable(`Give one of text, option and checked for ${ref}.`);
  if (text !== undefined) return { action: 'type', target, text, ...named('Type into', handle) };
  if (option !== undefined) return { action: 'select', target, option, ...named('Select in', handle) };
  return { action: 'check', target, checked: checked === true, ...named(checked ? 'Check' : 'Uncheck', handle) };
}
