// A browser host without browsers, for runs of thousands: it speaks the protocol of the bus, holds its lease, keeps
// epochs and answers as a real one does, and visits pages by plain requests.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectBus,
  type HostCommand,
  type HostReply,
  hostCommand,
  type Input,
  type Packed,
  type Responder,
  type SavedState,
  type SessionCommand,
  type SessionReply,
  sessionCommand,
} from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { readConfig } from '../../apps/browser/src/config.ts';
import { createDriver, type Driver } from '../../apps/browser/src/driver/driver.ts';
import { holdLease } from '../../apps/browser/src/host/lease.ts';
import { createSequencer } from '../../apps/browser/src/input/sequencer.ts';
import { createReplyCache } from '../../apps/browser/src/session/reply-cache.ts';
import { showFrames } from './frames.ts';

type Reply = Packed<SessionReply>;
type Act = Extract<SessionCommand, { type: 'act' | 'gated_act' }>;
type HeldSession = {
  driver: Driver;
  responder: Responder;
  answer(command: SessionCommand): Promise<Reply>;
  hide(): void;
};

const actMs = 3;
const requestMs = 5000;
const nothing = new Uint8Array();
const pictureHead = {
  content_type: 'image/jpeg',
  width: 1280,
  height: 720,
  device_scale: 1,
  private: false,
  epoch: 0,
} as const;
const failed = (failure: 'stale_epoch' | 'no_lease' | 'unknown_command' | 'full' | 'timeout', has_touched = false) => ({
  ok: false as const,
  failure,
  message: `the double says ${failure}`,
  has_touched,
});

/**
 * With `pictureBytes`, each step brings a picture of this weight, as a real host's does; each page reads as this text; and with
 * `frameEveryMs`, who watches a session gets frames.
 */
export const runDouble = ({ pictureBytes = 0, pageText = '', frameEveryMs = 0 } = {}) =>
  run('double', async () => {
    const { hostId, bootId, capacity, keepMs, bus: busAt, ops: opsAt, logLevel } = readConfig(process.env);
    const log = createLog(hostId, logLevel);
    const held = new Map<string, HeldSession>();
    const image = pictureBytes > 0 ? randomBytes(pictureBytes) : nothing;
    const bus = await connectBus(busAt);

    function end(sessionId: string): void {
      const ending = held.get(sessionId);
      held.delete(sessionId);
      ending?.driver.close();
      ending?.hide();
      void ending?.responder.close({ timeoutMs: 100 });
    }
    function endAll(): void {
      for (const sessionId of held.keys()) end(sessionId);
    }
    const lease = holdLease({
      bus,
      log,
      hostId,
      bootId,
      tell: () => ({
        capacity,
        sessions: [...held].map(([session_id, { driver }]) => ({
          session_id,
          epoch: driver.epoch(),
          is_watched: false,
          idle_ms: 0,
        })),
      }),
      onHeld: () => {},
      onOpenedElsewhere(sessions) {
        for (const { session_id, epoch } of sessions)
          if (epoch > (held.get(session_id)?.driver.epoch() ?? epoch)) end(session_id);
      },
      keepMs,
      onKeepOver: endAll,
    });

    async function open({ session_id, epoch, state }: Extract<HostCommand, { type: 'open' }>): Promise<HostReply> {
      const known = held.get(session_id);
      if (known) return (await known.driver.take(epoch)) ? { ok: true } : failed('stale_epoch');
      if (held.size >= capacity) return failed('full');
      const session = createSession(session_id, epoch, state);
      const to = { host_id: hostId, session_id };
      const responder = bus.respond(sessionCommand, to, async (command) =>
        lease.isHeld() || command.type === 'answer'
          ? session.answer(command)
          : { head: failed('no_lease'), body: nothing },
      );
      held.set(session_id, { ...session, responder });
      await responder.ready({ timeoutMs: 2000 });
      return { ok: true };
    }

    async function answerHost(command: HostCommand): Promise<HostReply> {
      if (command.type === 'status')
        return { ok: true, status: { capacity, warm: 0, has_own_users: true, sessions: [] } };
      if (command.type === 'open') return lease.isHeld() ? open(command) : failed('no_lease');
      const closing = held.get(command.session_id);
      if (!closing) return { ok: true };
      if (command.epoch < closing.driver.epoch()) return failed('stale_epoch');
      end(command.session_id);
      return { ok: true };
    }
    const responder = bus.respond(hostCommand, { host_id: hostId }, answerHost);
    await responder.ready({ timeoutMs: 5000 });
    const ops = await startOps({ ...opsAt, isReady: () => lease.isHeld() });

    function createSession(id: string, first: number, state: SavedState | null): Omit<HeldSession, 'responder'> {
      const answers = createReplyCache<Reply>((reply) => reply);
      let url = state?.pages[0]?.url ?? 'about:blank';
      let last: Promise<unknown> = Promise.resolve();
      const newOrder = () => createSequencer<Input>({ perform: touch, isOutdated: () => false });
      let order = newOrder();
      const driver = createDriver(first, async () => {
        await Promise.all([last, order.reset()]);
        order = newOrder();
      });

      const to = { host_id: hostId, session_id: id };
      const shown = frameEveryMs > 0 ? showFrames(bus, to, { everyMs: frameEveryMs, epoch: driver.epoch }) : undefined;

      /** Of a person's input, only a press is looked at afterwards. */
      async function touch(input: Input): Promise<void> {
        const { action } = input;
        if (action === 'navigate') url = input.url;
        const headers = { 'x-epoch': String(driver.epoch()), 'x-hand': 'person' };
        const within = AbortSignal.timeout(requestMs);
        if (action === 'click') await fetch(url, { method: 'POST', headers, redirect: 'manual', signal: within });
      }

      async function perform({ step, epoch, command_id }: Act, signal: AbortSignal): Promise<Reply> {
        if (signal.aborted) return { head: failed('stale_epoch'), body: nothing };
        const before = { url, title: '' };
        await sleep(actMs);
        if (signal.aborted || !lease.isHeld()) return { head: failed('stale_epoch'), body: nothing };
        if (step.action === 'navigate') url = step.url;
        if (step.action === 'click') {
          // Who pressed, for the check afterwards.
          const headers = { 'x-epoch': String(epoch), 'x-command': command_id };
          const sent = await fetch(url, {
            method: 'POST',
            headers,
            redirect: 'manual',
            signal: AbortSignal.timeout(requestMs),
          }).catch(() => undefined);
          if (!sent) return { head: failed('timeout', true), body: nothing };
        }
        const kept = { storage: {}, pages: [{ url, scroll_x: 0, scroll_y: 0, session_storage: {} }] };
        const head = {
          ok: true,
          type: 'acted',
          before,
          after: { url, title: '' },
          bbox: null,
          point: null,
          wait_ms: 0,
          run_ms: actMs,
          file: null,
          dialog: null,
          state: kept,
          picture: pictureOfPage(),
        } as const;
        return { head, body: image };
      }

      const pictureOfPage = () =>
        image.length > 0 ? { ...pictureHead, route: { session: id, page: 'p1', frame: null, url, title: '' } } : null;

      function see(isWithPicture: boolean): Reply {
        const pages = [{ page: 'p1', url, title: '', is_front: true }];
        const view = { url, title: '', pages, dialog: null, text: pageText, handles: [], shape_hash: url, next: null };
        const picture = isWithPicture ? pictureOfPage() : null;
        return { head: { ok: true, type: 'viewed', view, picture }, body: picture ? image : nothing };
      }

      return {
        driver,
        hide: () => shown?.close(),
        async answer(command) {
          switch (command.type) {
            case 'act':
            case 'gated_act': {
              const known = answers.get(command.command_id);
              if (known) return known;
              if (command.epoch < driver.epoch()) return { head: failed('stale_epoch'), body: nothing };
              const isTaken = driver.take(command.epoch);
              const reply = isTaken.then((taken) => {
                if (!taken) return { head: failed('stale_epoch'), body: nothing };
                const turn = last.then(() => perform(command, driver.signal()));
                last = turn.catch(() => {});
                return turn;
              });
              return answers.keep(command.command_id, reply);
            }
            case 'answer':
              return answers.get(command.command_id) ?? { head: failed('unknown_command'), body: nothing };
            case 'take':
              if (!(await driver.take(command.epoch))) return { head: failed('stale_epoch'), body: nothing };
              return { head: { ok: true, type: 'taken', cut: null }, body: nothing };
            case 'watch':
              shown?.watch(command.for_ms);
              return { head: { ok: true, type: 'watching' }, body: nothing };
            case 'input': {
              if (!(await driver.take(command.epoch))) return { head: failed('stale_epoch'), body: nothing };
              const items = command.inputs.map(({ seq, input }) => ({ seq, item: input }));
              const taken = order.take(items, command.client_no);
              return taken.then(
                (seq) => ({ head: { ok: true, type: 'input', seq }, body: nothing }),
                () => ({ head: failed('stale_epoch'), body: nothing }),
              );
            }
            case 'observe':
              return command.as === 'view'
                ? see(command.bring.includes('picture'))
                : { head: failed('unknown_command'), body: nothing };
            case 'count':
              if (command.epoch !== driver.epoch()) return { head: failed('stale_epoch'), body: nothing };
              return { head: { ok: true, type: 'counted', seq: order.count(command.client_no) }, body: nothing };
            default:
              return { head: failed('unknown_command'), body: nothing };
          }
        },
      };
    }

    return {
      log,
      async close() {
        await ops.close();
        lease.close();
        endAll();
        await responder.close({ timeoutMs: 500 });
        await bus.close();
      },
    };
  });
