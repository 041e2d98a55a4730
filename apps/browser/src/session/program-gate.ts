// Judges the acts of one program by the rules of its user, before Chromium is told of them: by what the page is then, and never by
// what the program says of it.

import type { Gate, ProgramRules } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import { judgeLook } from '../actions/gate.ts';
import type { GuestAct, JudgeAct } from '../cdp/policy/judge.ts';
import type { JudgedAct } from '../cdp/policy/judged-act.ts';
import { type Deadline, pause, startDeadline, within } from '../common/deadline.ts';
import type { Dom } from '../dom/dom.ts';
import type { TouchedLook } from '../dom/touched-look.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Pages } from '../pages/pages.ts';
import type { ProgramDialogs } from './program-dialogs.ts';
import { pageOfTarget } from './program-page.ts';

/** A page that does not say in time what would be touched is not touched. */
const lookMs = 5000;
/** A document that is just being replaced is looked at again. */
const againMs = 30;

type Options = {
  pages: Pages;
  dialogs: Dialogs;
  eyesOf: (page: Page) => Dom;
  signal: AbortSignal;
  rules: () => ProgramRules | undefined;
  /** Of this program. */
  answers: Pick<ProgramDialogs, 'open' | 'judged'>;
  /** The page of a session of the program. */
  targetOf: (sessionId: string | undefined) => string | undefined;
};

export function createProgramGate(options: Options): JudgeAct {
  const { pages, dialogs, eyesOf, signal, rules, answers, targetOf } = options;
  async function pageOf(sessionId: string | undefined, deadline: Deadline): Promise<Page> {
    const page = await within(deadline, pageOfTarget(pages, targetOf(sessionId)));
    if (!page) throw new Error('the command is not one of a page');
    return page;
  }

  const judge = async (command: GuestAct, { step, by }: JudgedAct): Promise<string | undefined> => {
    const { method, sessionId } = command;
    const given = rules();
    if (!given) return undefined;
    const gate: Gate = { ...given, grants: [] };
    // A page that is opened belongs to no page.
    const deadline = startDeadline(lookMs, signal);
    const page = method === 'Target.createTarget' ? pages.current() : await pageOf(sessionId, deadline);
    const isAnswer = step.action === 'answer_dialog';
    if (isAnswer && !(await answers.open(page, deadline))) return 'the page asks nothing, so nothing was answered';
    const looks = await steadily(() => looksOf(eyesOf(page), by, deadline), deadline);
    // From here on in one go: what is judged is what may be answered.
    if (isAnswer) answers.judged(command, page);
    for (const look of looks) {
      const { outcome, sentence } = judgeLook({ gate, step, page, dialogs }, look);
      if (outcome === 'deny' || outcome === 'watch') return sentence;
      if (outcome === 'ask') return `${sentence} ${howTo}`;
    }
    return undefined;
  };

  return Object.assign(judge, { isNeeded: () => mayRefuse(rules()) });
}

const howTo =
  'A program is not given a yes: a person can take the wheel and do it, and a script that a person wrote connects with steps_by=person.';

/** Most programs of people are held to nothing: their acts do not wait for a look. */
function mayRefuse(given: ProgramRules | undefined): boolean {
  if (!given) return false;
  const { mode, allow, deny, read_only, watch } = given.rules;
  const isMild = mode === 'free' || (mode === 'standard' && given.is_given);
  return !isMild || [allow, deny, read_only, watch].some((list) => list.length > 0);
}

async function steadily<T>(look: () => Promise<T>, deadline: Deadline): Promise<T> {
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (deadline.isOver()) throw error;
    }
    await pause(againMs, deadline);
  }
}

const nothing = { look: null, onto: null, frame: undefined };
const asGateLook = ({ look, frame }: TouchedLook) => ({ look, onto: null, frame });

/** Rejects where what would be touched cannot be seen. */
async function looksOf(dom: Dom, by: JudgedAct['by'], deadline: Deadline) {
  if (by === undefined) return [nothing];
  if (by === 'focus') {
    const focused = await dom.lookAtFocus(deadline);
    return [focused ? asGateLook(focused) : nothing];
  }
  const found = await Promise.all(by.points.map((point) => dom.lookAtPoint(point, deadline)));
  return found.map((one) => {
    if (!one) throw new Error('nothing is known of what is there');
    return asGateLook(one);
  });
}
