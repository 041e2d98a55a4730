import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { connectBus, frame, sessionCommand } from '@pilothouse/bus';
import { createClient } from '@pilothouse/sdk';
import { newId, openStore } from '@pilothouse/store';
import type { Stack } from '../stack/stack.ts';

const hostId = 'browser-1';
/** Longer than any bench. */
const leaseMs = 3_600_000;
const size = { width: 1280, height: 720, device_scale: 1 };

/** A host that sends frames of a given weight and has no browser: what is measured comes after it. */
export async function openFakeHost(stack: Stack, port: number, imageBytes: number) {
  const { url } = stack.services.bus();
  const signIn = await stack.services.admit({ role: 'host', id: hostId });
  const bus = await connectBus({ servers: url, ...signIn, name: hostId });
  // Nothing is put there.
  const store = openStore({ url: stack.services.databaseUrl(), blobDir: tmpdir(), onError: () => {} });
  const { session } = await createClient({ baseUrl: `http://127.0.0.1:${port}` }).createSession();
  const bootId = newId();
  await store.hosts.renew({ hostId, bootId, capacity: 1, sessions: [], leaseMs });
  const taken = await store.change(session.id, async (tx) => {
    await store.sessions.setBrowser(tx, session.id, 'live');
    return store.browsers.assign(tx, session.id, { id: hostId, bootId }, 0);
  });
  if (!taken) throw new Error('the session was not given to the host');
  const to = { host_id: hostId, session_id: session.id };
  const responder = bus.respond(sessionCommand, to, async () => ({
    head: { ok: true, type: 'watching' } as const,
    body: new Uint8Array(),
  }));
  await responder.ready({ timeoutMs: 5000 });
  const frames = bus.publishNewest(frame, to);
  const image = randomBytes(imageBytes);
  let seq = 0;

  return {
    sessionId: session.id,
    send(): void {
      seq += 1;
      const header = {
        frame_id: newId(),
        session_id: session.id,
        epoch: taken.epoch,
        seq,
        recorded_at: new Date().toISOString(),
        content_type: 'image/jpeg',
        ...size,
        scroll: { x: 0, y: 0 },
        page: 'p1',
        url: `http://site.test/?sent_at=${Date.now()}`,
        title: 'A page',
        private: false,
      } as const;
      frames.put({ header, image });
    },
    async close() {
      await responder.close({ timeoutMs: 500 });
      await store.close();
      await bus.close();
    },
  };
}
