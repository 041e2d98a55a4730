import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, type Frame, frame, type SessionCommand, sessionCommand } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createHostClient } from '@pilothouse/fleet';
import { createLog } from '@pilothouse/process';
import { newId, type Store } from '@pilothouse/store';
import { startBusProxy } from '../../../../testkit/bus-proxy.ts';
import { until } from '../../../../testkit/until.ts';
import type { Lifetime } from './event-hub.ts';
import { createFrameHub } from './frame-hub.ts';

const [hostId, sessionId] = ['browser-1', newId()];
const cutMs = 300;

describe('a server that lost the bus for a moment', () => {
  let nats: NatsForTest;
  let proxy: Awaited<ReturnType<typeof startBusProxy>>;
  let host: Bus;
  let bus: Bus;
  /** What the server asked the host for. */
  const asked: Extract<SessionCommand, { type: 'watch' }>[] = [];
  before(async () => {
    [nats, proxy] = await Promise.all([startNats({ hosts: [hostId] }), startBusProxy()]);
    host = await connectBus(nats.as({ host: hostId }));
    bus = await connectBus({ ...nats.as('server'), servers: proxy.to(nats.url) });
    const responder = host.respond(sessionCommand, { host_id: hostId, session_id: sessionId }, async (command) => {
      if (command.type === 'watch') asked.push(command);
      return { head: { ok: true, type: 'watching' } as const, body: new Uint8Array() };
    });
    await responder.ready({ timeoutMs: 5000 });
  });
  after(async () => {
    await Promise.all([bus?.close({ timeoutMs: 200 }), host?.close({ timeoutMs: 200 })]);
    await proxy?.close();
    await nats?.close();
  });

  it('asks hosts at once, and not with the next renewal, for what it has not seen', async (test) => {
    // No renewal comes.
    test.mock.timers.enable({ apis: ['setInterval'] });
    const hub = createFrameHub({
      store: {
        browsers: { of: async () => browser, ofAll: async () => new Map([[sessionId, browser]]) },
      } as never as Store,
      bus,
      hosts: createHostClient(bus),
      log: createLog('server', 'silent'),
      onSilent: () => assert.fail('the host is there'),
    });
    test.after(hub.close);
    const lifetime: Lifetime = { isEnded: () => false, onEnd: () => {} };
    let frames = 0;
    const onFrame = () => {
      frames += 1;
    };
    hub.watch(sessionId, { userId: newId(), isOwner: true, onFrame, onView: () => {} }, lifetime);
    await until(() => asked.length === 1, 5000);
    assert.equal(asked[0]?.seen, null);
    const shown = newFrame();
    host.publish(frame, { host_id: hostId, session_id: sessionId }, shown);
    await until(() => frames === 1, 5000);

    await proxy.cut(cutMs);
    await until(() => asked.length > 1, 5000);
    assert.equal(asked[1]?.seen, shown.header.frame_id);
  });
});

const browser = {
  host_id: hostId,
  host_boot_id: newId(),
  epoch: 1,
  browser: 'live',
  is_live: true,
  is_gone: false,
  driver: null,
};

function newFrame(): Frame {
  const page = { page: 'p1', url: 'https://shop.test/', title: 'Shop', private: false };
  const size = { width: 800, height: 600, device_scale: 1, scroll: { x: 0, y: 0 } };
  const made = { frame_id: newId(), recorded_at: new Date().toISOString(), content_type: 'image/jpeg' as const };
  return {
    header: { ...made, ...size, ...page, session_id: sessionId, epoch: 1, seq: 1 },
    image: Buffer.from('a picture'),
  };
}
