import { type Bus, checkpoint, heartbeat, queues, type Report, report } from '@pilothouse/bus';
import { isId } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { type Store, storableJson, storableText } from '@pilothouse/store';
import { watchAwake } from './awake.ts';
import { setCold } from './parking.ts';

type Options = { bus: Bus; store: Store; log: Log; hostLeaseMs: number };

const partitionDaysAhead = 30;
const houseworkEveryMs = 6 * 60 * 60 * 1000;

/** Keeps in the database what hosts, who have none, report; and keeps house: partitions ahead, what is over removed. */
export async function startKeeper({ bus, store, log, hostLeaseMs }: Options) {
  const awake = watchAwake();
  const hosts = bus.respond(
    heartbeat,
    {},
    async ({ host_id, boot_id, capacity, sessions, load }) => {
      if (!awake.isAwake()) throw new Error('this agent stood still; what it was told is old');
      await store.hosts.renew({ hostId: host_id, bootId: boot_id, capacity, sessions, load, leaseMs: hostLeaseMs });
      return { lease_ms: hostLeaseMs };
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
      if (isId(told.session_id)) await keepReport(store, from.host_id, told);
      return {};
    },
    { queue: queues.report },
  );
  const responders = [hosts, states, reports];
  await Promise.all(responders.map((responder) => responder.ready({ timeoutMs: 5000 })));

  async function keepHouse(): Promise<void> {
    const made = await store.events.ensurePartitions(partitionDaysAhead);
    if (made > 0) log.info({ made }, 'made partitions of the event log');
    await store.logins.sweep();
    await store.limits.sweep();
    await store.idempotency.sweep();
    await store.viewers.sweep();
    await store.recorders.sweep();
    await store.agents.sweep();
    await store.hosts.sweep();
  }
  // The next turn comes in hours, and thirty days are ready: worth a line, not more.
  const work = () => void keepHouse().catch((error) => log.error({ err: error }, 'could not keep house'));
  work();
  const housework = setInterval(work, houseworkEveryMs);

  return {
    async close() {
      clearInterval(housework);
      awake.close();
      await Promise.all(responders.map((responder) => responder.close()));
    },
  };
}

/** Writes down what a host told of a session that it holds; of others it has nothing to say. */
async function keepReport(store: Store, hostId: string, told: Report): Promise<void> {
  const { session_id, epoch } = told;
  const held = { hostId, epoch };
  const isGone = told.type === 'crashed' ? told.what === 'browser' : told.type === 'wall' && told.is_ended;
  await store.change(session_id, async (tx, append) => {
    if (!(await store.browsers.isHeldBy(tx, session_id, held))) return;
    const { session_id: _, epoch: __, ...rest } = told;
    // Written by pages, in part.
    const [message, data] = [storableText(sentenceOf(told)), storableJson(rest)];
    await append({ kind: 'log', data: { log: { level: 'warn', message, step_id: null, data } } });
    if (isGone && (await store.browsers.release(tx, session_id, held))) await setCold(store, tx, append, session_id);
  });
}

function sentenceOf(told: Report): string {
  switch (told.type) {
    case 'crashed':
      return told.what === 'browser' ? 'The browser crashed.' : `A page crashed${told.url ? `: ${told.url}` : ''}.`;
    case 'refused':
      return `The page may not reach ${told.target}: ${told.reason}.`;
    case 'wall':
      return told.message;
    case 'dialog':
      if (!told.dialog) return 'The question of the page was closed.';
      return told.dialog.message === '' ? 'The page asks something.' : `The page asks: ${told.dialog.message}`;
  }
}
