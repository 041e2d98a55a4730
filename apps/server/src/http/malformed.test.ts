import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sendMalformed } from '../../testing/malformed.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('whatever a client sends', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  it('5,000 malformed requests get no 5xx, and every refusal is a problem with a code of the contract', async () => {
    const port = Number(new URL(server.baseUrl).port);
    const { answers, unanswered } = await sendMalformed(port, { count: 5000, seed: 20_261_115 });
    assert.deepEqual(unanswered, []);
    // Each kind of refusal was really met, else the generator no longer reaches what it should.
    for (const kind of [
      '400 validation_failed',
      '404 not_found',
      '413 payload_too_large',
      '415 unsupported_media_type',
      '431 payload_too_large',
    ]) {
      assert.ok(answers[kind], `never met ${kind}; met ${JSON.stringify(answers)}`);
    }
    const failures = server.logged.filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(failures, [], 'nothing of it was a failure of ours');
  });
});
