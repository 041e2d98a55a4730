import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Approval, Takeover } from './api-types.ts';
import { type DriverAction, type DriverFacts, type DriverKind, type DriverTone, driverState } from './driver-state.ts';

const now = Date.parse('2026-11-01T12:00:00.000Z');
const at = (secs: number) => new Date(now + secs * 1000).toISOString();
const id = '0198c4a1-0000-7000-8000-000000000001';
const route = { session: id, page: null, frame: null, url: null, title: null };

const takeover: Takeover = {
  takeover_id: id,
  status: 'active',
  requested_at: at(-130),
  activated_at: at(-132),
  ended_at: null,
  expires_at: at(272),
  requested_by: 'me',
  held_by: 'me',
  epoch: 3,
  reason: null,
  route,
};
const task = {
  status: 'running',
  current_step: 7,
  current_step_title: 'Add to basket',
  total_steps: 11,
  attempt: 1,
  question: null,
} as const;
const question = {
  text: 'Which account?',
  step_id: 's',
  asked_at: at(-42),
  expires_at: null,
  until: null,
  options: null,
};
const approval: Approval = {
  ...{ id, class: 'commit', why: 'It pays.', action: 'Click "Place order"', role: 'button', name: 'Place order' },
  ...{ value: null, secret: null, page: 'https://shop.test/', frame_origin: null, form_action: null, amounts: [] },
  ...{ bbox: null, picture_path: null, expires_at: at(600), void_reason: null },
};
const facts: DriverFacts = {
  session: { status: 'active', browser: 'live' },
  takeover: null,
  task,
  connection: 'connected',
  me: 'me',
  tab: { drives: true, hasKeys: true, inputsWaiting: 0 },
  now,
};
const ended = { ...takeover, status: 'ended', held_by: null } as const;
const idle = { session: { status: 'idle', browser: 'cold' }, task: null } as const;

type Row = {
  name: string;
  given: Partial<DriverFacts>;
  kind: DriverKind;
  tone?: DriverTone;
  who: string;
  sub: RegExp;
  actions: DriverAction[];
};

const rows: Row[] = [
  {
    name: 'mine, while the stream reconnects',
    given: {
      takeover,
      connection: 'reconnecting',
      frameAt: at(-12),
      tab: { drives: true, hasKeys: true, inputsWaiting: 3 },
    },
    kind: 'cut_off',
    tone: 'you',
    who: 'Reconnecting, you keep the wheel',
    sub: /^Showing the frame of 12 s ago · 3 inputs wait, and are sent once$/,
    actions: [],
  },
  {
    name: 'mine, while the browser is opened again',
    given: { takeover, session: { status: 'takeover', browser: 'starting' } },
    kind: 'browser_lost',
    tone: 'you',
    who: 'The browser is being opened again',
    sub: /keep the wheel/,
    actions: [],
  },
  {
    name: 'mine, in a browser that was opened again a moment ago',
    given: { takeover, reopenedAt: now - 5000 },
    kind: 'you',
    tone: 'you',
    who: 'You drive',
    sub: /^The browser was opened again\. What you typed there is gone$/,
    actions: ['hand_back'],
  },
  {
    name: 'mine, but another tab counts the inputs',
    given: { takeover, tab: { drives: false, hasKeys: false, inputsWaiting: 0 } },
    kind: 'another_tab',
    tone: 'ask',
    who: 'You drive in another tab',
    sub: /One tab at a time/,
    actions: ['drive_here'],
  },
  {
    name: 'mine, with less than a minute left',
    given: { takeover: { ...takeover, expires_at: at(24) } },
    kind: 'lease_short',
    tone: 'you',
    who: 'Still there?',
    sub: /in 0:24$/,
    actions: ['i_am_here', 'hand_back'],
  },
  {
    name: 'mine, with the keys on the page',
    given: { takeover },
    kind: 'you',
    tone: 'you',
    who: 'You drive',
    sub: /^Keys go to the page/,
    actions: ['hand_back'],
  },
  {
    name: 'mine, with the keys free',
    given: { takeover, tab: { drives: true, hasKeys: false, inputsWaiting: 0 } },
    kind: 'you',
    tone: 'you',
    who: 'You drive',
    sub: /^Click the page/,
    actions: ['hand_back'],
  },
  {
    name: 'mine, also while I look back',
    given: { takeover, lookBack: { at: at(-60), sub: 'Step 2' } },
    kind: 'you',
    tone: 'you',
    who: 'You drive',
    sub: /./,
    actions: ['hand_back'],
  },
  {
    name: 'of another person without a name',
    given: { takeover: { ...takeover, held_by: 'mara' } },
    kind: 'other',
    tone: 'them',
    who: 'Another person drives',
    sub: /^for 2:12/,
    actions: [],
  },
  {
    name: 'of another person with a name',
    given: { takeover: { ...takeover, held_by: 'mara', held_by_name: 'Mara' } },
    kind: 'other',
    tone: 'them',
    who: 'Mara drives',
    sub: /^for 2:12/,
    actions: [],
  },
  {
    name: 'of nobody known: without a login of my own, an active takeover is another person’s',
    given: { takeover: { ...takeover, held_by: null }, me: undefined },
    kind: 'other',
    tone: 'them',
    who: 'Another person drives',
    sub: /./,
    actions: [],
  },
  {
    name: 'requested',
    given: { takeover: { ...takeover, status: 'requested', held_by: null, activated_at: null }, isMyRequest: true },
    kind: 'waiting',
    tone: 'waiting',
    who: 'Waiting for the agent to stop',
    sub: /^It finishes “Add to basket” first · 2:10$/,
    actions: ['take_now', 'never_mind'],
  },
  {
    name: 'requested by another person',
    given: { takeover: { ...takeover, status: 'requested', held_by: null, activated_at: null } },
    kind: 'waiting',
    tone: 'waiting',
    who: 'Another person takes the wheel',
    sub: /^It finishes “Add to basket” first/,
    actions: [],
  },
  {
    name: 'requested in a session without a task',
    given: { ...idle, takeover: { ...takeover, status: 'requested', held_by: null }, isMyRequest: true },
    kind: 'waiting',
    tone: 'waiting',
    who: 'The browser is being opened',
    sub: /as soon as it is there/,
    actions: ['never_mind'],
  },
  {
    name: 'looked back from, while the agent works',
    given: { lookBack: { at: at(-60), sub: 'Step 2 of 11' } },
    kind: 'look_back',
    who: 'You look back to',
    sub: /^Step 2 of 11$/,
    actions: ['keep_picture', 'back_to_live'],
  },
  {
    name: 'resuming',
    given: { takeover: { ...takeover, status: 'resuming' } },
    kind: 'resuming',
    who: 'The agent looks at the page',
    sub: /goes on with step 7$/,
    actions: [],
  },
  {
    name: 'of a task that asks',
    given: { task: { ...task, status: 'awaiting_user', question } },
    kind: 'asks',
    tone: 'ask',
    who: 'The agent asks you',
    sub: /^“Which account\?” · since 0:42$/,
    actions: ['answer', 'take'],
  },
  {
    name: 'of a task that asks for a yes',
    given: { task: { ...task, status: 'awaiting_user', question: { ...question, kind: 'approval', approval } } },
    kind: 'asks_yes',
    tone: 'ask',
    who: 'Nobody drives: the agent asks for your yes',
    sub: /^since 0:42 · no answer by \d\d:\d\d counts as no$/,
    actions: ['decide', 'take'],
  },
  {
    name: 'of a program',
    given: { task: { ...task, driven_by: 'program', total_steps: 7 } },
    kind: 'agent',
    tone: 'plain',
    who: 'A program drives',
    sub: /^Step 7$/,
    actions: ['take'],
  },
  {
    name: 'of a task that went on after it had asked',
    given: { task: { ...task, question: { ...question, kind: 'approval', approval } } },
    kind: 'agent',
    who: 'The agent drives',
    sub: /^Step 7 of 11$/,
    actions: ['take', 'take_now'],
  },
  {
    name: 'of another agent that took the task up',
    given: { task: { ...task, attempt: 2 }, recoveredAt: now - 5000 },
    kind: 'recovered',
    who: 'Another agent went on',
    sub: /^Attempt 2 · step 7/,
    actions: ['take', 'take_now'],
  },
  {
    name: 'of an agent that took the task up a while ago',
    given: { task: { ...task, attempt: 2 }, recoveredAt: now - 25_000 },
    kind: 'agent',
    who: 'The agent drives',
    sub: /./,
    actions: ['take', 'take_now'],
  },
  {
    name: 'gone back when its time was over',
    given: { takeover: { ...ended, ended_at: at(-3), expires_at: at(-3) } },
    kind: 'lease_over',
    who: 'The agent drives again',
    sub: /^The wheel went back at/,
    actions: ['take_again'],
  },
  {
    name: 'handed back in time',
    given: { takeover: { ...ended, ended_at: at(-3), expires_at: at(200) } },
    kind: 'agent',
    who: 'The agent drives',
    sub: /^Step 7 of 11$/,
    actions: ['take', 'take_now'],
  },
  {
    name: 'of the agent, with its clock',
    given: { clock: '2:38 of 30:00 on its clock' },
    kind: 'agent',
    who: 'The agent drives',
    sub: /^2:38 of 30:00 on its clock$/,
    actions: ['take', 'take_now'],
  },
  {
    name: 'of a task that waits behind another',
    given: { task: { ...task, status: 'pending' }, tasksBefore: 1 },
    kind: 'pending',
    who: 'Waits its turn',
    sub: /^1 task before it/,
    actions: ['cancel'],
  },
  {
    name: 'free, with a cold browser',
    given: idle,
    kind: 'idle',
    who: 'Nobody drives',
    sub: /^The browser rests/,
    actions: ['open_and_drive'],
  },
  {
    name: 'free after a task that is done',
    given: { session: { status: 'idle', browser: 'live' }, task: { ...task, status: 'success' } },
    kind: 'idle',
    who: 'Nobody drives',
    sub: /^The browser is open/,
    actions: ['open_and_drive'],
  },
  {
    name: 'of a closed session',
    given: { session: { status: 'closed', browser: 'cold' }, task: { ...task, status: 'success' } },
    kind: 'closed',
    who: 'This session is closed',
    sub: /./,
    actions: [],
  },
];

describe('the wheel is', () => {
  for (const { name, given, kind, tone = 'plain', who, sub, actions } of rows)
    it(name, () => {
      const state = driverState({ ...facts, ...given });
      assert.equal(state.kind, kind);
      assert.equal(state.tone, tone);
      assert.ok(state.who.startsWith(who), state.who);
      assert.match(state.sub, sub);
      assert.deepEqual(state.actions, actions);
    });

  it('shown with its lease only while it is mine', () => {
    assert.equal(driverState({ ...facts, takeover }).leaseEndsAt, takeover.expires_at);
    assert.equal(driverState({ ...facts, takeover: { ...takeover, held_by: 'mara' } }).leaseEndsAt, undefined);
  });
});
