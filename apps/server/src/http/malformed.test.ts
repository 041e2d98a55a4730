import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MalformedResult, sendMalformed } from '../../testing/malformed.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('malformed requests', () => {
  let server: TestServer;
  let result: MalformedResult;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  it('get no 5xx, 9,500 of them, and every refusal is a problem with a code of the contract', async () => {
    const port = Number(new URL(server.baseUrl).port);
    result = await sendMalformed(port, { count: 9500, seed: 20_261_115 });
    assert.deepEqual(result.unanswered, []);
    const failures = server.logged.filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(failures, [], 'nothing of it was a failure of ours');
  });

  // Otherwise the generator no longer reaches the code that it should, and finds nothing.
  it('met each kind of refusal', () => {
    for (const kind of [
      '400 validation_failed',
      '404 not_found',
      '413 payload_too_large',
      '415 unsupported_media_type',
      '431 payload_too_large',
    ]) {
      assert.ok(result.answers[kind], `never met ${kind}; met ${JSON.stringify(result.answers)}`);
    }
  });

  it('met every served route often, and routes with a body with every kind of wrong body', () => {
    for (const [route, statuses] of Object.entries(result.aimed)) {
      const times = Object.values(statuses).reduce((sum, one) => sum + one, 0);
      assert.ok(times >= 20, `${route}: only ${JSON.stringify(statuses)}`);
    }
    for (const path of ['/api/sessions', '/api/chat']) {
      const met = statusesLogged(server.logged, 'POST', path);
      assert.ok(met.length >= 100, `POST ${path}: only ${met.length}`);
      for (const status of [400, 413, 415]) assert.ok(met.includes(status), `POST ${path}: never ${status}`);
    }
  });
});

/** Counts of answers, from the metrics of the server. */
function statusesLogged(lines: string[], method: string, path: string): number[] {
  return lines
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === 'request' && line.method === method && line.path === path)
    .map((line) => line.status);
}
