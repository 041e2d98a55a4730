// Stores what hosts report, who have no database: heartbeats, checkpoints of sessions, crashes and refusals. Believes a
// host only about sessions that it holds.

import { type Bus, checkpoint, heartbeat, queues, type Report, report } from '@pilothouse/bus';
import { isId, type Json } from '@pilothouse/contract';
import { releaseBrowser } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import { type Append, type Store, storableJson, storableText, type Tx } from '@pilothouse/store';
import { watchForStalls } from './stall-check.ts';

type Options = {
  bus: Bus;
  store: Store;
  log: Log;
  hostLeaseMs: number;
  /** How many sessions a host may hold for which the operator has set no limit. */
  hostMaxSessions?: number;
};

export async function startHostReports({ bus, store, log, hostLeaseMs, hostMaxSessions = 8 }: Options) {
  const stalls = watchForStalls();
  const claims = new Map<string, string>();
  /** Warns once for each claim: an operator who wants more sessions has to allow them. */
  function noticeClaim(hostId: string, claim: { claimed: number; allowed: number }): void {
    const words = JSON.stringify(claim);
    if (claims.get(hostId) === words) return;
    claims.set(hostId, words);
    if (claim.claimed > claim.allowed)
      log.warn(
        { host_id: hostId, ...claim },
        'a host claims more sessions than it is allowed: see `npm run admin -- host`',
      );
  }
  const hosts = bus.respond(
    heartbeat,
    {},
    async ({ host_id, boot_id, capacity, sessions, load, is_leaving: isLeaving }) => {
      if (!stalls.isRunning()) throw new Error('this agent stood still, so this heartbeat is old');
      const told = { hostId: host_id, bootId: boot_id, capacity, sessions, load, isLeaving };
      const renewal = await store.hosts.renew({ ...told, leaseMs: hostLeaseMs, maxSessions: hostMaxSessions });
      noticeClaim(host_id, { claimed: capacity, allowed: renewal.capacity });
      return { lease_ms: hostLeaseMs, opened_elsewhere: renewal.openedElsewhere };
    },
    { queue: queues.heartbeat },
  );
  const states = bus.respond(
    checkpoint,
    {},
    async ({ session_id, epoch, state }, { from }) => ({
      is_kept:
        isId(session_id) &&
        (await store.transaction((tx) =>
          store.browsers.keepState(tx, session_id, { hostId: from.host_id, epoch }, state),
        )),
    }),
    { queue: queues.checkpoint },
  );
  const reports = bus.respond(
    report,
    {},
    async (told, { from }) => {
      log.info({ ...from, type: told.type }, 'a host reports');
      if (isId(told.session_id)) await storeReport(store, from.host_id, told);
      return {};
    },
    { queue: queues.report },
  );
  const responders = [hosts, states, reports];
  await Promise.all(responders.map((responder) => responder.ready({ timeoutMs: 5000 })));

  return {
    async close() {
      stalls.close();
      await Promise.all(responders.map((responder) => responder.close()));
    },
  };
}

/** Logs the report in the session, if the host holds it. */
async function storeReport(store: Store, hostId: string, told: Report): Promise<void> {
  const { session_id, epoch } = told;
  const held = { hostId, epoch };
  const isGone = told.type === 'crashed' ? told.what === 'browser' : told.type === 'wall' && told.is_ended;
  if (isGone) await store.hosts.lostBrowser(hostId);
  await store.change(session_id, async (tx, append) => {
    if (!(await store.browsers.isHeldBy(tx, session_id, held))) return;
    await logReport(store, tx, append, told);
    if (isGone) await releaseBrowser(store, tx, append, { sessionId: session_id, ...held });
  });
}

/** How many reports of each kind an agent logs for one session in a minute. A host bounds itself; a hostile one may not. */
const maxPerMinute = { refused: 30, crashed: 60, wall: 60, left_behind: 60, dialog: 240 } satisfies Record<
  Report['type'],
  number
>;
const maxChars = 2000;

async function logReport(store: Store, tx: Tx, append: Append, told: Report): Promise<void> {
  const { session_id, epoch: _, ...rest } = told;
  const { isOver, leftOut } = await store.reports.count(tx, session_id, told.type, maxPerMinute[told.type]);
  const write = (message: string, data: Json) =>
    append({ kind: 'log', data: { log: { level: 'warn', message, step_id: null, data } } });
  if (leftOut > 0) await write(`${leftOut} more of this kind were not written down.`, { type: told.type });
  if (isOver) return;
  // Pages choose parts of it.
  const data = storableJson(rest);
  const isLarge = JSON.stringify(data).length > maxChars;
  await write(storableText(sentenceOf(told).slice(0, maxChars)), isLarge ? { type: told.type } : data);
}

function sentenceOf(told: Report): string {
  switch (told.type) {
    case 'crashed':
      return told.what === 'browser' ? 'The browser crashed.' : `A page crashed${told.url ? `: ${told.url}` : ''}.`;
    case 'refused':
      if (told.reason === 'too_many') return `… and ${told.count} more tries to reach what it may not were refused.`;
      return `The page may not reach ${told.target}: ${told.reason}.`;
    case 'wall':
      return told.message;
    case 'left_behind':
      return told.count === 1
        ? 'A page opened another one by itself; it stays behind.'
        : `Pages opened ${told.count} others by themselves; they stay behind.`;
    case 'dialog':
      if (!told.dialog) return 'The question of the page was closed.';
      return told.dialog.message === '' ? 'The page asks something.' : `The page asks: ${told.dialog.message}`;
  }
}
