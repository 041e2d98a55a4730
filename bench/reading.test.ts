import assert from 'node:assert/strict';
import { it } from 'node:test';
import { measureReading } from './reading.ts';

// The short version of `npm run bench -- reading`: the same with fewer rows, and bounds that a busy machine keeps too.
it('a status and a list cost about the same with many rows stored as with few', async (test) => {
  const { status, list_tasks, list_sessions } = await measureReading({
    tasks: { few: 100, many: 10_000 },
    sessions: { few: 100, many: 10_000 },
    requests: 200,
  });
  const ratios = { status: status.ratio.p50, tasks: list_tasks.ratio.p50, sessions: list_sessions.ratio.p50 };
  test.diagnostic(JSON.stringify(ratios));
  for (const [name, ratio] of Object.entries(ratios)) assert.ok(ratio < 1.8, `${name}: ${ratio}`);
});
