// A browser host without browsers: it checks epochs and orders inputs as a real one does, and records what was done.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Bus,
  connectBus,
  type Input,
  type Packed,
  type SessionReply,
  type SessionView,
  sessionCommand,
} from '@pilothouse/bus';
import type { StepFailure } from '../../browser/src/common/failure.ts';
import { createDriver } from '../../browser/src/driver/driver.ts';
import { createSequencer } from '../../browser/src/input/sequencer.ts';
import type { TestServer } from './server.ts';

export type DoneInput = { epoch: number; action: string; text?: string };

const nothing = new Uint8Array();
const stale = { ok: false, failure: 'stale_epoch', message: 'stale', has_touched: false } as const;

export async function startDrivenHost(server: TestServer) {
  const { store, nats } = server;
  const hostId = 'browser-1';
  const bootId = randomUUID();
  const bus: Bus = await connectBus({ ...nats.as({ host: hostId }), name: 'a host' });
  await store.hosts.renew({ hostId, bootId, capacity: 1000, sessions: [], leaseMs: 600_000 });
  const watched: { sessionId: string; isDriven: boolean }[] = [];

  return {
    watched,
    /** Opens the session's browser here, as an agent does. */
    async open(sessionId: string) {
      const before = (await store.browsers.of(sessionId))?.epoch ?? 0;
      const first = await store.change(sessionId, async (tx) => {
        const at = await store.browsers.assign(tx, sessionId, { id: hostId, bootId }, before);
        await store.sessions.setBrowser(tx, sessionId, 'live');
        return at?.epoch ?? 0;
      });
      const done: DoneInput[] = [];
      let shown: SessionView | undefined;
      let versions = 0;
      let onDone = async () => {};
      let order = newOrder();
      const driver = createDriver(first, async () => {
        await order.reset();
        order = newOrder();
      });
      function newOrder() {
        return createSequencer<Input>({
          perform: async (input) => {
            done.push({ epoch: driver.epoch(), action: input.action, ...('text' in input && { text: input.text }) });
          },
          isOutdated: () => false,
        });
      }
      const reply = (head: SessionReply): Packed<SessionReply> => ({ head, body: nothing });
      const responder = bus.respond(sessionCommand, { host_id: hostId, session_id: sessionId }, async (command) => {
        if (command.type === 'take')
          return reply((await driver.take(command.epoch)) ? { ok: true, type: 'taken', cut: null } : stale);
        if (command.type === 'watch') {
          watched.push({ sessionId, isDriven: command.is_driven });
          return reply({ ok: true, type: 'watching' });
        }
        if (command.type === 'count') {
          if (command.epoch !== driver.epoch()) return reply(stale);
          return reply({ ok: true, type: 'counted', seq: order.count(command.client_no) });
        }
        if (command.type === 'view' && shown) {
          const late = Date.now() + command.wait_ms;
          while (command.known === shown.version && Date.now() < late) await sleep(10);
          return reply({ ok: true, type: 'view', view: shown });
        }
        if (command.type === 'look' && shown) return { head: seenOf(sessionId, shown), body: Buffer.from('a picture') };
        if (command.type !== 'input') return reply({ ...stale, failure: 'unknown_command' });
        if (!(await driver.take(command.epoch))) return reply(stale);
        const items = command.inputs.map(({ seq, input }) => ({ seq, item: input }));
        const taken = order.take(items, command.client_no);
        await taken.then(onDone, () => {});
        return taken.then(
          (seq) => reply({ ok: true, type: 'input', seq }),
          (error: StepFailure) => reply({ ...stale, failure: error.failure }),
        );
      });
      await responder.ready({ timeoutMs: 5000 });
      return {
        done,
        /** The view that it tells from now on. */
        show(parts: Omit<SessionView, 'version'>): void {
          versions += 1;
          shown = { version: `${bootId} ${versions}`, ...parts };
        },
        /** From now on this happens after an input was done and before it is answered. */
        beforeAnswer(work: () => Promise<void>): void {
          onDone = work;
        },
        epoch: () => driver.epoch(),
        /** As an agent would act: whether the host lets it. */
        mayAct: (epoch: number) => epoch >= driver.epoch(),
        leave: () => responder.close({ timeoutMs: 500 }),
      };
    },
    close: () => bus.close(),
  };
}
/** A private picture, as a host sends it while a person drives. */
function seenOf(session: string, view: SessionView): SessionReply {
  const route = { session, page: 'p1', frame: null, url: 'https://bank.test/', title: 'Bank' };
  const size = { content_type: 'image/jpeg', width: 800, height: 600, device_scale: 1 } as const;
  const privacy = { private: true, private_reason: 'driven', epoch: view.epoch } as const;
  return { ok: true, type: 'seen', picture: { ...size, route, ...privacy }, written: [], view };
}
export type DrivenHost = Awaited<ReturnType<typeof startDrivenHost>>;
