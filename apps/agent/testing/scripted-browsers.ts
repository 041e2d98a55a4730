// A browser client that answers what a test says. Where the browser is and under which epoch is in real rows, so that
// fences and lost browsers are those of the database; only the hosts are not there.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Acted, createRedactor, type Dialog, type Failure, type Picture, type View } from '@pilothouse/bus';
import type { Store } from '@pilothouse/store';
import type { Browsers, Command } from '../src/browsers/browsers.ts';
import type { BrowserHandle } from '../src/browsers/handle.ts';
import type { Outcome } from '../src/browsers/outcome.ts';

export const hostId = 'scripted';
export const bootId = '0b9f1a52-3a4e-4a53-9d50-3f2b3c1d7e01';

export type SentCommand = { command: Command; handle: Pick<BrowserHandle, 'hostId' | 'epoch'> };
/** What comes back from one act; a function may do something first, while the agent waits. */
export type Reply = Outcome | ((sent: SentCommand) => Promise<Outcome>);
export type Script = {
  /** To acts of steps, in order. An act without a reply left fails the test. */
  replies?: Reply[];
  /** To questions for the result of an older command, in order; nothing is known where none is left. */
  known?: (Outcome | undefined)[];
  /** What the page asks, at each look. */
  dialogs?: (Dialog | null)[];
  /** The page as a text, at each look; a host that does not answer where none is left. */
  views?: (View | undefined)[];
  /** The picture that comes with a look that asks for one. */
  picture?: Uint8Array;
  /** What happens while the page is looked at. */
  beforeSee?: () => Promise<unknown>;
  /** The same, at each look after those. */
  view?: View;
  /** What the page in front shows when the agent looks at it. */
  page?: { url: string | null; written: string[] };
  /** Whether the host obeys a new driver; throws where that is unknown. */
  setDriver?: () => Promise<boolean>;
  /** Whether the database still names this host and epoch, unless the rows decide. */
  holds?: boolean;
  /** What opening a browser waits for. */
  beforeEnsure?: (signal: AbortSignal) => Promise<void>;
};

export const pictureOf = ({ url, title }: View): Picture => ({
  content_type: 'image/jpeg',
  ...{ width: 10, height: 10, device_scale: 1, private: false, epoch: 1 },
  route: { session: 's', page: null, frame: null, url, title },
});

const place = { url: 'https://shop.test/', title: 'Shop' };
/** What a host answers after a step that it did. */
export const actedReply = (more: Partial<Acted> = {}): Acted => ({
  ok: true,
  type: 'acted',
  before: place,
  after: place,
  bbox: null,
  point: null,
  wait_ms: 1,
  run_ms: 2,
  file: null,
  dialog: null,
  state: null,
  picture: null,
  ...more,
});
export const acted = (more: Partial<Acted> = {}): Outcome => ({
  type: 'acted',
  image: new Uint8Array([1, 2, 3]),
  acted: actedReply(more),
});
export const failed = (failure: Failure, { hasTouched = false, message = `it is ${failure}` } = {}): Outcome => ({
  type: 'failed',
  failure,
  message,
  hasTouched,
});
export const lost = ({ mayHaveActed = false, isUnheard = false, reason = 'no_session' } = {}): Outcome => ({
  type: 'lost',
  reason,
  mayHaveActed,
  isUnheard,
});
/** As the bus answers when the signal of the command is aborted; fails the test where that does not happen. */
export const untilAborted = async ({ command: { signal } }: SentCommand): Promise<Outcome> => {
  for (let waits = 0; !signal.aborted; waits += 1) {
    if (waits > 500) throw new Error('the act was not aborted');
    await sleep(20);
  }
  return lost({ reason: 'aborted', mayHaveActed: true });
};

/**
 * `calls` tells what the hosts were asked, in order, with the epoch of each. `faults` are errors of the script itself: a run
 * would take them for a passing failure.
 */
export function scriptBrowsers(store: Store, script: Script) {
  const calls: string[] = [];
  const sent: SentCommand[] = [];
  const faults: unknown[] = [];
  const replies = [...(script.replies ?? [])];
  const known = [...(script.known ?? [])];
  const dialogs = [...(script.dialogs ?? [])];
  const views = [...(script.views ?? [])];

  /** Opens the browser under a new epoch, as a host that has room would. */
  async function open(sessionId: string, before: number): Promise<BrowserHandle> {
    const taken = await store.change(sessionId, async (tx) => {
      const assigned = await store.browsers.assign(tx, sessionId, { id: hostId, bootId }, before);
      await store.sessions.setBrowser(tx, sessionId, 'live');
      return assigned;
    });
    if (!taken) throw new Error('another agent was quicker');
    calls.push(`open ${taken.epoch}`);
    return { hostId, epoch: taken.epoch, openedEpoch: taken.epoch };
  }

  const browsers: Browsers = {
    redactorOf: async () => createRedactor([]),
    async ensure(session, { lost: lostEpoch, signal }) {
      await script.beforeEnsure?.(signal);
      signal.throwIfAborted();
      const row = await store.browsers.of(session.id);
      if (!row?.is_live || !row.host_id || row.epoch === lostEpoch) return open(session.id, row?.epoch ?? 0);
      return { hostId: row.host_id, epoch: row.epoch, openedEpoch: row.opened_epoch };
    },
    async act(_, handle, command) {
      calls.push(`act ${command.step.action} ${handle.epoch}`);
      sent.push({ command, handle });
      try {
        const reply = replies.shift();
        if (!reply) throw new Error(`nothing was said of what "${command.step.action}" brings`);
        return typeof reply === 'function' ? await reply({ command, handle }) : reply;
      } catch (error) {
        faults.push(error);
        throw error;
      }
    },
    async answerOf(_, handle) {
      calls.push(`answer ${handle.epoch}`);
      return known.shift();
    },
    async stateOf(_, handle) {
      calls.push(`state ${handle.epoch}`);
      return { storage: { asked: 'again' }, pages: [] };
    },
    async dialog() {
      calls.push('dialog');
      return dialogs.shift() ?? null;
    },
    async see(_, __, { withPicture = false }) {
      calls.push('see');
      await script.beforeSee?.();
      const view = views.length > 0 ? views.shift() : script.view;
      if (!view) return { type: 'unanswered', reason: 'timeout', mayHaveActed: false };
      if (!withPicture || !script.picture)
        return { type: 'done', reply: { view, picture: null, image: new Uint8Array() } };
      return { type: 'done', reply: { view, picture: pictureOf(view), image: script.picture } };
    },
    async look() {
      calls.push('look');
      return script.page ?? { url: 'https://shop.test/', written: [] };
    },
    async setDriver(_, handle, { isPerson = false } = {}) {
      calls.push(`driver ${handle.epoch}${isPerson ? ' person' : ''}`);
      return script.setDriver ? script.setDriver() : true;
    },
    async tellNewDriver(_, handle) {
      calls.push(`new driver after ${handle.epoch}`);
    },
    async holds(sessionId, handle) {
      const row = await store.browsers.of(sessionId);
      return script.holds ?? (row?.host_id === handle.hostId && row.epoch === handle.epoch);
    },
    async isAtHost() {
      return true;
    },
  };
  return { browsers, calls, sent, faults, left: () => replies.length };
}
export type ScriptedBrowsers = ReturnType<typeof scriptBrowsers>;
