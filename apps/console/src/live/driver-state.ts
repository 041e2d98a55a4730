// Who drives: one of the states of the driver bar, with its words and actions. The first rule that fits wins.

import { canMove, takeoverMoves, taskMoves } from '@pilothouse/sdk';
import type { Connection, Session, Takeover, TaskStatus } from './api-types.ts';
import { describeAge, describeClock, describeTimeOfDay } from './describe-time.ts';

export type DriverAction =
  | 'take'
  | 'take_now'
  | 'take_again'
  | 'open_and_drive'
  | 'hand_back'
  | 'i_am_here'
  | 'drive_here'
  | 'never_mind'
  | 'answer'
  | 'decide'
  | 'keep_picture'
  | 'back_to_live'
  | 'cancel';

export type DriverKind =
  | 'cut_off'
  | 'browser_lost'
  | 'another_tab'
  | 'lease_short'
  | 'you'
  | 'other'
  | 'waiting'
  | 'look_back'
  | 'resuming'
  | 'asks_yes'
  | 'asks'
  | 'recovered'
  | 'lease_over'
  | 'agent'
  | 'pending'
  | 'closed'
  | 'idle';

/** The ground of the bar: `you` is solid brass, `ask` soft brass, `waiting` striped, `them` violet. */
export type DriverTone = 'plain' | 'you' | 'ask' | 'waiting' | 'them';
export type DriverIcon =
  | 'agent'
  | 'wheel'
  | 'clock'
  | 'offline'
  | 'reload'
  | 'eye'
  | 'question'
  | 'hand'
  | 'again'
  | 'initials'
  | 'closed';

export type DriverState = {
  kind: DriverKind;
  tone: DriverTone;
  icon: DriverIcon;
  who: string;
  sub: string;
  actions: DriverAction[];
  /** When the wheel goes back by itself, while it is mine. */
  leaseEndsAt?: string;
};

export type DriverFacts = {
  session: Pick<Session, 'status' | 'browser'>;
  takeover: Takeover | null;
  task: Pick<
    TaskStatus,
    'status' | 'current_step' | 'current_step_title' | 'total_steps' | 'attempt' | 'question' | 'driven_by'
  > | null;
  connection: Connection;
  me: string | undefined;
  /** A takeover that is requested names its holder only by the name that the person has. */
  isMyRequest?: boolean;
  tab: { drives: boolean; hasKeys: boolean; inputsWaiting: number };
  /** The moment that is looked back to, with its words. */
  lookBack?: { at: string; sub: string };
  /** Words about the agent's clock, for example `2:38 of 30:00 on its clock`. */
  clock?: string;
  frameAt?: string;
  /** When another agent took the task up, if it was seen here. */
  recoveredAt?: number;
  /** When the browser was opened again under this takeover, if it was seen here. */
  reopenedAt?: number;
  tasksBefore?: number;
  now: number;
};

type Rule = (facts: DriverFacts) => DriverState | undefined;

const recentMs = 20_000;
const leaseShortMs = 60_000;
const isRecent = (at: number | undefined, now: number) => at !== undefined && now - at < recentMs;

/** The takeover that is active and mine. */
function mine({ takeover, me }: DriverFacts): Takeover | undefined {
  return takeover?.status === 'active' && me !== undefined && takeover.held_by === me ? takeover : undefined;
}

const cutOff: Rule = (facts) => {
  const held = mine(facts);
  if (!held || facts.connection !== 'reconnecting') return undefined;
  const age = facts.frameAt ? `Showing the frame of ${describeAge(facts.frameAt, facts.now)} ago` : 'No frame yet';
  const count = facts.tab.inputsWaiting;
  const inputs =
    count === 0 ? '' : ` · ${count} ${count === 1 ? 'input waits, and is' : 'inputs wait, and are'} sent once`;
  return you('cut_off', 'offline', 'Reconnecting, you keep the wheel', `${age}${inputs}`, [], held);
};

const browserLost: Rule = (facts) => {
  const held = mine(facts);
  if (!held || facts.session.browser === 'live') return undefined;
  const sub = 'You keep the wheel. What you typed there is gone';
  return you('browser_lost', 'reload', 'The browser is being opened again', sub, [], held);
};

const anotherTab: Rule = (facts) =>
  mine(facts) && !facts.tab.drives
    ? {
        kind: 'another_tab',
        tone: 'ask',
        icon: 'wheel',
        who: 'You drive in another tab',
        sub: 'One tab at a time, so that nothing is typed twice',
        actions: ['drive_here'],
      }
    : undefined;

const leaseShort: Rule = (facts) => {
  const held = mine(facts);
  const leftMs = held ? Date.parse(held.expires_at) - facts.now : Number.NaN;
  if (!held || leftMs >= leaseShortMs) return undefined;
  const sub = `The wheel goes back to the agent in ${describeClock(leftMs)}`;
  return you('lease_short', 'clock', 'Still there?', sub, ['i_am_here', 'hand_back'], held);
};

const youDrive: Rule = (facts) => {
  const held = mine(facts);
  if (!held) return undefined;
  const keys = facts.tab.hasKeys ? 'Keys go to the page · ⇧ Esc frees them' : 'Click the page to type into it';
  const sub = isRecent(facts.reopenedAt, facts.now)
    ? 'The browser was opened again. What you typed there is gone'
    : keys;
  return you('you', 'wheel', 'You drive', sub, ['hand_back'], held);
};

const otherDrives: Rule = ({ takeover, now }) => {
  if (takeover?.status !== 'active') return undefined;
  const since = describeClock(now - Date.parse(takeover.activated_at ?? takeover.requested_at));
  return {
    kind: 'other',
    tone: 'them',
    icon: 'initials',
    who: `${takeover.held_by_name ?? 'Another person'} drives`,
    sub: `for ${since} · the page is theirs alone until they hand back`,
    actions: [],
  };
};

const waiting: Rule = ({ takeover, task, isMyRequest, now }) => {
  if (!takeover || !canMove(takeover.status, takeoverMoves.activate)) return undefined;
  const since = describeClock(now - Date.parse(takeover.requested_at));
  const what = task?.current_step_title
    ? `It finishes “${task.current_step_title}” first`
    : 'It finishes its step first';
  const common = { kind: 'waiting', tone: 'waiting', icon: 'wheel' } as const;
  if (!isMyRequest)
    return { ...common, who: 'Another person takes the wheel', sub: task ? `${what} · ${since}` : since, actions: [] };
  return task
    ? {
        ...common,
        who: 'Waiting for the agent to stop',
        sub: `${what} · ${since}`,
        actions: ['take_now', 'never_mind'],
      }
    : {
        ...common,
        who: 'The browser is being opened',
        sub: `You drive as soon as it is there · ${since}`,
        actions: ['never_mind'],
      };
};

const lookBack: Rule = (facts) => {
  if (!facts.lookBack) return undefined;
  const who = `You look back to ${describeTimeOfDay(facts.lookBack.at, true)}`;
  const actions: DriverAction[] = ['keep_picture', 'back_to_live'];
  return { kind: 'look_back', tone: 'plain', icon: 'clock', who, sub: facts.lookBack.sub, actions };
};

const resuming: Rule = ({ takeover, task }) =>
  takeover?.status === 'resuming'
    ? {
        kind: 'resuming',
        tone: 'plain',
        icon: 'eye',
        who: 'The agent looks at the page',
        sub: task?.current_step ? `It has your note, and goes on with step ${task.current_step}` : 'It has your note',
        actions: [],
      }
    : undefined;

/** The yes is said on its card, beside what it is for; `decide` goes there, and is a key without a button. */
const asksYes: Rule = ({ task, now }) => {
  const question = task && canMove(task.status, taskMoves.answer) ? task.question : null;
  if (!question?.approval) return undefined;
  const since = `since ${describeClock(now - Date.parse(question.asked_at))}`;
  const end = question.approval.expires_at ?? question.expires_at;
  return {
    kind: 'asks_yes',
    tone: 'ask',
    icon: 'hand',
    who: 'Nobody drives: the agent asks for your yes',
    sub: end ? `${since} · no answer by ${describeTimeOfDay(end)} counts as no` : since,
    actions: ['decide', 'take'],
  };
};

const asks: Rule = ({ task, now }) => {
  if (!task || !canMove(task.status, taskMoves.answer)) return undefined;
  const { question } = task;
  const sub = question
    ? `“${question.text}” · since ${describeClock(now - Date.parse(question.asked_at))}`
    : 'It waits for you';
  return { kind: 'asks', tone: 'ask', icon: 'question', who: 'The agent asks you', sub, actions: ['answer', 'take'] };
};

const recovered: Rule = ({ task, recoveredAt, now }) =>
  task?.status === 'running' && isRecent(recoveredAt, now)
    ? {
        kind: 'recovered',
        tone: 'plain',
        icon: 'again',
        who: 'Another agent went on',
        sub: `Attempt ${task.attempt} · step ${task.current_step} is looked at again before anything is repeated`,
        actions: ['take', 'take_now'],
      }
    : undefined;

const leaseOver: Rule = ({ takeover, task, now }) => {
  if (takeover?.status !== 'ended' || !takeover.ended_at || !isRecent(Date.parse(takeover.ended_at), now))
    return undefined;
  if (Date.parse(takeover.ended_at) < Date.parse(takeover.expires_at)) return undefined;
  const isAtWork = task !== null && canMove(task.status, taskMoves.take);
  return {
    kind: 'lease_over',
    tone: 'plain',
    icon: isAtWork ? 'agent' : 'wheel',
    who: isAtWork ? 'The agent drives again' : 'Nobody drives',
    sub: `The wheel went back at ${describeTimeOfDay(takeover.ended_at)}, after its time without input`,
    actions: ['take_again'],
  };
};

/** A program is stopped where it is: it has no step that it could end first. */
const programDrives: Rule = ({ task }) =>
  task?.driven_by === 'program' && canMove(task.status, taskMoves.finish)
    ? {
        kind: 'agent',
        tone: 'plain',
        icon: 'agent',
        who: 'A program drives',
        sub: `Step ${task.current_step}`,
        actions: ['take'],
      }
    : undefined;

const agentDrives: Rule = ({ task, clock }) => {
  if (!task || !canMove(task.status, taskMoves.finish)) return undefined;
  const of = task.total_steps ? ` of ${task.total_steps}` : '';
  const sub = clock ?? (task.current_step > 0 ? `Step ${task.current_step}${of}` : 'It begins');
  return { kind: 'agent', tone: 'plain', icon: 'agent', who: 'The agent drives', sub, actions: ['take', 'take_now'] };
};

const pending: Rule = ({ task, tasksBefore }) => {
  if (!task || !canMove(task.status, taskMoves.start)) return undefined;
  const before = tasksBefore ?? 0;
  const sub =
    before > 0
      ? `${before} ${before === 1 ? 'task' : 'tasks'} before it in this session`
      : 'It begins as soon as an agent is free';
  return { kind: 'pending', tone: 'plain', icon: 'clock', who: 'Waits its turn', sub, actions: ['cancel'] };
};

const closed: Rule = ({ session }) =>
  session.status === 'closed'
    ? {
        kind: 'closed',
        tone: 'plain',
        icon: 'closed',
        who: 'This session is closed',
        sub: 'Its pictures are kept for a while. Nothing runs in it any more',
        actions: [],
      }
    : undefined;

const idle = ({ session }: DriverFacts): DriverState => ({
  kind: 'idle',
  tone: 'plain',
  icon: 'wheel',
  who: 'Nobody drives',
  sub:
    session.browser === 'cold'
      ? 'The browser rests. It opens as it was when it is needed'
      : 'The browser is open. It rests when nobody needs it',
  actions: ['open_and_drive'],
});

const rules: Rule[] = [
  cutOff,
  browserLost,
  anotherTab,
  leaseShort,
  youDrive,
  otherDrives,
  waiting,
  lookBack,
  resuming,
  asksYes,
  asks,
  recovered,
  leaseOver,
  programDrives,
  agentDrives,
  pending,
  closed,
];

/** The state of the driver bar. */
export function driverState(facts: DriverFacts): DriverState {
  for (const rule of rules) {
    const state = rule(facts);
    if (state) return state;
  }
  return idle(facts);
}

function you(
  kind: DriverKind,
  icon: DriverIcon,
  who: string,
  sub: string,
  actions: DriverAction[],
  { expires_at }: Takeover,
): DriverState {
  return { kind, tone: 'you', icon, who, sub, actions, leaseEndsAt: expires_at };
}
