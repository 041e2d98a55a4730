import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withStack } from '../../testkit/stack/with-services.ts';
import { sufferOutages } from './outage.ts';

it('PostgreSQL, NATS and all agents are away for longer than a lease: browsers stay, and tasks and people go on', async () => {
  Object.assign(process.env, { HOST_LEASE_SECS: '5', AGENT_LEASE_SECS: '4' });
  const outages = [
    { part: 'postgres', secs: 6, way: 'killed' },
    { part: 'nats', secs: 6, way: 'frozen' },
    { part: 'agents', secs: 6, way: 'killed' },
  ] as const;
  const { wrong, ...met } = await withStack(`outage-${process.pid}`, (stack) =>
    sufferOutages({ stack, tasks: 2, takeovers: 1, outages: [...outages], forms: 7, agents: 1, browsers: 1 }),
  );
  console.log(JSON.stringify(met));
  assert.deepEqual(wrong, []);
  assert.equal(met.success, 2);
});
