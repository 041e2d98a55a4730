import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { errors, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { withoutAskingNats } from '../../testing/asking-nats.ts';
import { type NatsForTest, startNats } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { heartbeat } from '../messages/heartbeat.ts';
import { type Bus, connectBus } from '../transport/connect.ts';
import { queues } from '../wire/subjects.ts';
import { type Arbiter, type ArbiterOptions, type Newcomer, openArbiter } from './arbiter.ts';
import { type HostKey, hostIdOf, newHostKey, newSeed, publicKeyOf, readShown } from './host-key.ts';

const [joinSeed, signingSeed] = [newSeed('join'), newSeed('signing')];
const joinKeys = [publicKeyOf(joinSeed)];

describe('what a host shows', () => {
  it('counts for one nonce, and for the host that made it', () => {
    const host = newHostKey(joinSeed);
    const shown = host.prove('first');
    assert.deepEqual(readShown({ ...shown, nonce: 'first' }, joinKeys), {
      hostId: host.hostId,
      publicKey: shown.nkey,
      isInvited: true,
    });
    assert.equal(readShown({ ...shown, nonce: 'second' }, joinKeys), undefined, 'shown again');
    assert.equal(readShown(shown, joinKeys), undefined, 'without a nonce');
    const thief = newHostKey(newSeed('join')).prove('first');
    assert.equal(readShown({ ...thief, nkey: shown.nkey, nonce: 'first' }, joinKeys), undefined, "another's name");
    const stolen = readShown({ ...thief, auth_token: shown.auth_token, nonce: 'first' }, joinKeys);
    assert.equal(stolen?.isInvited, false, "another's invitation");
    assert.equal(readShown({ ...shown, nonce: 'first' }, [])?.isInvited, false, 'a key that was withdrawn');
  });

  it('may be anything', () => {
    const shown = newHostKey(joinSeed).prove('n');
    const bad = ['', 'x', '\0', 'U'.repeat(56), shown.nkey.toLowerCase(), `${shown.nkey} `, 'A'.repeat(100_000)];
    for (const text of bad) {
      assert.equal(readShown({ ...shown, nkey: text, nonce: 'n' }, joinKeys), undefined);
      assert.equal(readShown({ ...shown, sig: text, nonce: 'n' }, joinKeys), undefined);
      assert.equal(readShown({ ...shown, auth_token: text, nonce: 'n' }, joinKeys)?.isInvited, false);
    }
  });
});

/** What NATS forbids to a connection from now on. */
function violationsOf(nc: NatsConnection): string[] {
  const met: string[] = [];
  (async () => {
    for await (const status of nc.status())
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        met.push(`${status.error.operation} ${status.error.subject}`);
  })();
  return met;
}

describe('a bus that asks agents', { skip: withoutAskingNats }, () => {
  let nats: NatsForTest;
  const stack = new AsyncDisposableStack();
  before(async () => {
    nats = await startNats({ hosts: ['h1'], agents: ['1', '2'], joins: { issuer: publicKeyOf(signingSeed) } });
    stack.defer(nats.close);
  });
  after(() => stack.disposeAsync());

  const refused: string[] = [];
  async function arbiter(judge: ArbiterOptions['judge'], agent = '1'): Promise<Arbiter> {
    const { password } = nats.as({ agent });
    const told = { onRefused: (why: string) => void refused.push(why), onFailed: () => {} };
    return openArbiter({ servers: nats.url, password, agentId: agent, signingSeed, joinKeys, judge, ...told });
  }
  const knock = (host = newHostKey(joinSeed), options: { connectTimeoutMs?: number; signal?: AbortSignal } = {}) =>
    connectBus({ servers: nats.url, user: `host-${host.hostId}`, name: 'new', prove: host.prove, ...options });
  const turnedAway = (connection: Promise<Bus | NatsConnection>) => assert.rejects(connection);
  /** It would try for ever. */
  async function refusedBecause(why: string, host: HostKey): Promise<void> {
    refused.length = 0;
    const patience = new AbortController();
    const turned = turnedAway(knock(host, { signal: patience.signal }));
    await until(() => refused.length > 0, 10_000);
    patience.abort();
    await turned;
    assert.deepEqual([...new Set(refused)], [why]);
  }
  const beat = (host_id: string) => ({
    host_id,
    boot_id: 'b0a1c1de-0000-4000-8000-000000000001',
    sessions: [],
    capacity: 1,
  });

  it('lets in members that it has by name without an agent, and nobody else', async () => {
    await using all = new AsyncDisposableStack();
    for (const who of ['server', 'agent', { host: 'h1' }] as const)
      all.adopt(await connectBus(nats.as(who)), (bus) => bus.close());
    await turnedAway(knock(undefined, { connectTimeoutMs: 100 }));
    const bare = { servers: nats.url, timeout: 5000, reconnect: false };
    await turnedAway(connect({ ...bare, user: 'server-1', pass: 'of no use to anyone' }));
    await turnedAway(connect(bare));
  });

  it('lets a host in as an agent says, with the rights of any host and no others', async () => {
    await using all = new AsyncDisposableStack();
    const judged: Newcomer[] = [];
    all.adopt(await arbiter(async (newcomer) => void judged.push(newcomer)), (one) => one.close());
    const agent = all.adopt(await connectBus(nats.as('agent')), (bus) => bus.close());
    const hears = agent.respond(heartbeat, {}, (_, { from }) => ({ lease_ms: from.host_id.length }), {
      queue: queues.heartbeat,
    });
    await hears.ready({ timeoutMs: 5000 });

    const host = newHostKey(joinSeed);
    const bus = all.adopt(await knock(host), (one) => one.close());
    const said = await bus.request(heartbeat, { host_id: host.hostId }, beat(host.hostId), { timeoutMs: 5000 });
    assert.ok(said.ok, 'it may ask, and is answered at its own inbox');
    const [first] = judged;
    assert.ok(first);
    assert.deepEqual(
      judged.map(({ hostId, address, isInvited }) => ({ hostId, address, isInvited })),
      judged.map(() => ({ hostId: host.hostId, address: '127.0.0.1', isInvited: true })),
    );
    assert.equal(hostIdOf(first.publicKey), host.hostId);
    for (const other of ['h1', newHostKey(joinSeed).hostId]) {
      const forged = await bus.request(heartbeat, { host_id: other }, beat(other), { timeoutMs: 5000 });
      assert.deepEqual(forged, { ok: false, reason: 'forbidden', mayHaveActed: false }, other);
    }
    const nc = all.adopt(
      await connect({ servers: nats.url, authenticator: host.prove, inboxPrefix: `_IN.host-${host.hostId}` }),
      (one) => one.close(),
    );
    const closed = ['>', '$SYS.>', '$SYS.REQ.USER.AUTH', 'host.h1.command', 'host.*.command', '_IN.host-h1.>'];
    const met = violationsOf(nc);
    for (const subject of closed) nc.subscribe(subject, { callback: () => {} });
    for (const subject of ['$SYS.REQ.USER.AUTH', '$SYS.REQ.SERVER.X.KICK', 'host.h1.heartbeat']) nc.publish(subject);
    await until(() => met.length === closed.length + 3);
  });

  it('turns away who is refused, who shows nothing good, and who claims the name of another', async () => {
    await using all = new AsyncDisposableStack();
    const open = await arbiter(async ({ isInvited }) => (isInvited ? undefined : 'no invitation'));
    all.adopt(open, (one) => one.close());
    await refusedBecause('no invitation', newHostKey(newSeed('join')));
    const living = newHostKey(joinSeed);
    all.adopt(await knock(living), (one) => one.close());
    const prove = (nonce?: string) => {
      const own = newHostKey(joinSeed).prove(nonce);
      return { ...own, nkey: living.prove(nonce).nkey };
    };
    await refusedBecause('it holds no key of a host', { hostId: living.hostId, prove });
    // A name beside the key counts for nothing: a host is called by its key.
    const own = newHostKey(joinSeed);
    const authenticator = (nonce?: string) => ({ user: 'server-1', pass: 'x', ...own.prove(nonce) });
    const named = all.adopt(await connect({ servers: nats.url, authenticator }), (one) => one.close());
    const refusals = violationsOf(named);
    named.publish(`host.${own.hostId}.heartbeat`);
    named.publish('task.changed');
    await until(() => refusals.length > 0);
    assert.deepEqual(refusals, ['publish task.changed']);
  });

  it('ends the connections of a host when an agent says so, and asks again when it comes back', async () => {
    await using all = new AsyncDisposableStack();
    const seen: Newcomer[] = [];
    let isWelcome = true;
    const one = all.adopt(
      await arbiter(async (newcomer) => {
        seen.push(newcomer);
        return isWelcome ? undefined : 'it was removed';
      }),
      (open) => open.close(),
    );
    const neighbour = all.adopt(await knock(), (bus) => bus.close());
    seen.length = 0;
    const host = newHostKey(joinSeed);
    const bus = all.adopt(await knock(host), (open) => open.close({ timeoutMs: 200 }));
    assert.equal(seen.length, 2);
    isWelcome = false;
    refused.length = 0;
    for (const connection of seen) await one.end(connection);
    await until(() => !bus.isConnected() && refused.includes('it was removed'), 10_000);
    await one.end({ server: 'NAGONE', number: 7 });
    await one.end({ server: seen[0]?.server ?? '', number: 1_000_000 });
    assert.equal(await neighbour.ping({ timeoutMs: 2000 }), true);
    isWelcome = true;
    await until(() => bus.isConnected(), 10_000);
  });

  it('goes on with any agent, and keeps those that are in while there is none', async () => {
    await using all = new AsyncDisposableStack();
    const first = await arbiter(async () => undefined);
    const host = all.adopt(await knock(), (bus) => bus.close());
    await first.close();
    const waits = knock(undefined, { connectTimeoutMs: 30_000 });
    assert.equal(await host.ping({ timeoutMs: 2000 }), true);
    all.adopt(await arbiter(async () => undefined, '2'), (open) => open.close());
    all.adopt(await waits, (bus) => bus.close());
    // A member is removed: NATS reads its users again, and asks again who is in.
    nats.remove({ host: 'h1' });
    await until(async () => (await host.ping({ timeoutMs: 2000 })) && host.isConnected(), 10_000);
  });
});
