import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, sessionCommand } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createHostClient, type HostClient } from './host-client.ts';
import type { HostResult } from './host-result.ts';
import { askUntilHeard, createSilence, isSilent } from './silence.ts';

const browser = { hostId: 'h1', sessionId: 's1' };
const silent: HostResult<never> = { type: 'unanswered', reason: 'no_responders', mayHaveActed: false };
const late: HostResult<never> = { type: 'unanswered', reason: 'timeout', mayHaveActed: true };

describe('a count of silent requests', () => {
  it('says that a host is gone after the last attempt, and at each request after it', () => {
    const silence = createSilence({ attempts: 3 });
    const verdicts = [silent, silent, silent, silent].map((result) => silence.count(result));
    assert.deepEqual(verdicts, ['silent', 'silent', 'gone', 'gone']);
  });

  it('begins again with a timeout, because a busy host answers late', () => {
    const silence = createSilence({ attempts: 2 });
    const verdicts = [silent, late, silent, silent].map((result) => silence.count(result));
    assert.deepEqual(verdicts, ['silent', 'heard', 'silent', 'gone']);
  });

  it('begins again after a reset', () => {
    const silence = createSilence({ attempts: 2 });
    silence.count(silent);
    silence.reset();
    assert.equal(silence.count(silent), 'silent');
  });
});

describe('asking a host until it is heard', () => {
  let nats: NatsForTest;
  let server: Bus;
  let host: Bus;
  let hosts: HostClient;

  before(async () => {
    nats = await startNats({ hosts: ['h1'] });
    [server, host] = await Promise.all([connectBus(nats.as('server')), connectBus(nats.as({ host: 'h1' }))]);
    hosts = createHostClient(server);
  });
  after(async () => {
    await Promise.all([server?.close(), host?.close()]);
    await nats?.close();
  });

  it('gives up a host without a responder after the attempts, and waits between them', async () => {
    let requests = 0;
    const waits: number[] = [];
    const result = await askUntilHeard(
      () => {
        requests += 1;
        return hosts.look(browser, { timeoutMs: 5000 });
      },
      { attempts: 3, everyMs: 60, wait: async (ms) => waits.push(ms) },
    );
    assert.ok(isSilent(result), JSON.stringify(result));
    assert.equal(requests, 3);
    assert.deepEqual(waits, [60, 60]);
  });

  it('returns the reply of a host that comes back before the last attempt', async () => {
    const asking = askUntilHeard(() => hosts.watch(browser, { forMs: 1000, isDriven: false, timeoutMs: 5000 }), {
      attempts: 200,
      everyMs: 50,
    });
    const to = { host_id: 'h1', session_id: 's1' };
    const reply = { head: { ok: true, type: 'watching' } as const, body: new Uint8Array() };
    const responder = host.respond(sessionCommand, to, () => reply);
    await responder.ready({ timeoutMs: 5000 });
    assert.equal((await asking).type, 'done');
    await responder.close({ timeoutMs: 500 });
  });
});
