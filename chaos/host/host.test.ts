import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freezeHost } from './freeze.ts';
import { hurtSessions } from './leaks.ts';

describe('a browser host', () => {
  it('that was stopped beyond its lease does nothing of what waited for it, and ends its browsers once another host has them', async () => {
    const { late, accepted, ended_early, browsers_left } = await freezeHost(2);
    assert.ok(late >= 20);
    assert.equal(accepted, 0);
    assert.equal(ended_early, 0);
    assert.equal(browsers_left, 0);
  });

  it('leaves no browser, process or folder behind, however its sessions end', async () => {
    const { browsers_left, folders_left, processes_left, outlived_ms } = await hurtSessions(16);
    assert.deepEqual(
      { browsers_left, folders_left, processes_left },
      { browsers_left: 0, folders_left: 0, processes_left: 0 },
    );
    assert.ok(outlived_ms < 5000, `${outlived_ms} ms`);
  });
});
