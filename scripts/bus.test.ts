import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Bus, connectBus } from '@pilothouse/bus';
import { until } from '../testkit/stack/daemon.ts';
import { root } from '../testkit/stack/folders.ts';
import { createServices } from '../testkit/stack/services.ts';

const run = promisify(execFile);
const name = `test-bus-${process.pid}`;

/** The command as people type it. */
async function bus(...args: string[]): Promise<{ url: string; user: string; password: string; users: string[] }> {
  const { stdout } = await run(process.execPath, [join(root, 'scripts/bus.ts'), ...args, '--name', name]);
  return JSON.parse(stdout);
}

describe('the bus of a stack', () => {
  const services = createServices(name);
  const open: Bus[] = [];
  before(() => services.start('nats'));
  after(async () => {
    await Promise.all(open.map((one) => one.close({ timeoutMs: 200 })));
    await services.down({ wipe: true });
  });
  const signIn = async ({ url: servers, user, password }: { url: string; user: string; password: string }) => {
    let broken = 0;
    const onStatus = ({ type }: { type: string }) => {
      if (type === 'disconnected') broken += 1;
    };
    const line = await connectBus({ servers, user, password, name: user, onStatus });
    open.push(line);
    return { line, broken: () => broken };
  };

  it('admits a host while others are connected, and cuts it off when it is removed', async () => {
    assert.deepEqual((await bus('list')).users, ['server-1']);
    const { url, passwords } = services.bus();
    const server = await signIn({ url, user: 'server-1', password: passwords.servers['1'] ?? '' });
    const admitted = await bus('admit', 'host', 'browser-3');
    assert.equal(admitted.user, 'host-browser-3');
    const host = await signIn(admitted);
    assert.ok(await host.line.ping({ timeoutMs: 1000 }));

    await bus('remove', 'host', 'browser-3');
    assert.ok(await until(() => !host.line.isConnected(), 3000), 'cut off');
    await assert.rejects(signIn(admitted), /authori[sz]ation/i);
    await sleep(300);
    assert.equal(host.line.isConnected(), false, 'and not back');
    assert.equal(server.broken(), 0, 'nobody else was cut off');
    assert.ok(await server.line.ping({ timeoutMs: 1000 }));
  });

  it('knows the same members after it was shot', async () => {
    const admitted = await bus('admit', 'agent', '7');
    await services.kill('nats');
    await services.start('nats');
    const agent = await signIn({ ...admitted, url: services.bus().url });
    assert.ok(await agent.line.ping({ timeoutMs: 1000 }));
    assert.deepEqual((await bus('list')).users, ['server-1', 'agent-7']);
  });

  it('is never left without users, which NATS would take for open to everybody', async () => {
    await services.setMembers([]);
    assert.deepEqual((await bus('list')).users, ['server-1']);
    const { url } = services.bus();
    await assert.rejects(connectBus({ servers: url, user: 'server-9', password: 'x'.repeat(16), name: 'nobody' }));
  });
});
