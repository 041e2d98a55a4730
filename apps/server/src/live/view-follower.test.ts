import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { HostClient } from '@pilothouse/fleet';
import { createViewFollower } from './view-follower.ts';

it('a host that answers at once without end is asked now and then', async () => {
  let asked = 0;
  const view: HostClient['view'] = async () => {
    asked += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return {
      type: 'done',
      reply: { view: { version: `host ${asked}`, epoch: 1, pages: [], driver: null, copied: null } },
    };
  };
  const follower = createViewFollower({ sessionId: 's1', hosts: { view } });
  follower.update('h1', null);
  await new Promise((resolve) => setTimeout(resolve, 500));
  follower.close();
  assert.ok(asked >= 2, `asked ${asked} times`);
  assert.ok(asked <= 15, `asked ${asked} times`);
});
