import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, frame, sessionCommand } from '@pilothouse/bus';
import type { LiveEvent, PrivateReason } from '@pilothouse/contract';
import { newId } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { type ActorSets, openActorSets } from '../../testing/actors.ts';
import { watch } from '../../testing/guests.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const size = { width: 800, height: 600, device_scale: 1 };
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('who sees a private frame while no person drives', () => {
  let server: TestServer;
  let host: Bus;
  let actorSets: ActorSets;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    host = await connectBus({ ...server.nats.as({ host: 'browser-1' }), name: 'a host' });
    actorSets = await openActorSets({ server, gate: server, brief: server });
  });
  after(async () => {
    await host.close();
    await server.close();
  });

  const rows: { reason: PrivateReason | undefined; seenBy: string[] }[] = [
    { reason: 'secret_field', seenBy: ['owner'] },
    { reason: 'driven', seenBy: [] },
    { reason: 'page_not_masked', seenBy: [] },
    { reason: 'unknown_keys', seenBy: [] },
    // As hosts of another release send it.
    { reason: undefined, seenBy: [] },
  ];
  for (const { reason, seenBy } of rows) {
    it(`${reason ?? 'without a reason'}: ${seenBy.join(', ') || 'no viewer'}`, async () => {
      const actors = await actorSets.newActors();
      const id = actors.idOf('session', 'owners') ?? '';
      const bearer = async (who: 'owner' | 'admin') => ({ authorization: `Bearer ${await actors.bearerOf(who)}` });
      const headers: Record<string, Record<string, string>> = {
        owner: await bearer('owner'),
        admin: await bearer('admin'),
        guest: { 'x-share-token': actors.shareOf('guest') ?? '' },
      };
      const privacy = { private: true, private_reason: reason } as const;
      const put = await openAtHost(id, privacy);
      for (const [who, given] of Object.entries(headers)) {
        const watching = await watch(server, id, given);
        const isFrame = (event: LiveEvent) => event.type === 'frame';
        await until(() => {
          put();
          return watching.events().some(isFrame);
        }, 10_000);
        const event = watching.events().find(isFrame);
        assert.ok(event?.type === 'frame');
        assert.deepEqual([event.frame.private, event.frame.private_reason], [true, reason], who);
        const isSeen = seenBy.includes(who);
        assert.equal(watching.text().includes(base64('in the stream')), isSeen, who);
        assert.equal(watching.text().includes(base64('looked at')), isSeen, `the snapshot for ${who}`);
        assert.equal(watching.text().includes('bank.test'), isSeen, who);
        await watching.close();
      }
    });
  }

  /** Assigns the browser to the host, which answers looks; returns a function that sends a frame. */
  async function openAtHost(id: string, privacy: { private: boolean; private_reason?: PrivateReason }) {
    const bootId = randomUUID();
    const { store } = server;
    await store.hosts.renew({ hostId: 'browser-1', bootId, capacity: 9, sessions: [], leaseMs: 60_000 });
    await store.transaction(async (tx) => {
      await store.browsers.assign(tx, id, { id: 'browser-1', bootId }, 0);
      await store.sessions.setBrowser(tx, id, 'live');
    });
    const place = { page: 'p1', url: 'https://bank.test/', title: 'Bank' };
    const responder = host.respond(sessionCommand, { host_id: 'browser-1', session_id: id }, async (command) => {
      if (command.type === 'watch') return { head: { ok: true, type: 'watching' } as const, body: new Uint8Array() };
      const route = { session: id, frame: null, ...place };
      const picture = { content_type: 'image/jpeg', ...size, route, epoch: 1, ...privacy } as const;
      return { head: { ok: true, type: 'seen', picture } as const, body: Buffer.from('looked at') };
    });
    await responder.ready({ timeoutMs: 5000 });
    const publisher = host.publishNewest(frame, { host_id: 'browser-1', session_id: id });
    let seq = 0;
    return () => {
      seq += 1;
      const made = { frame_id: newId(), recorded_at: new Date().toISOString(), content_type: 'image/jpeg' as const };
      const scroll = { x: 0, y: 0 };
      const header = { ...made, ...size, scroll, session_id: id, epoch: 1, seq, ...place, ...privacy };
      publisher.put({ header, image: Buffer.from('in the stream') });
    };
  }
});
