import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { pidsOfUser } from '../../testing/processes.ts';
import { claimUsers, createUsers } from './unix-users.ts';

const firstUid = 33_000;
const isRoot = process.getuid?.() === 0;

describe('users of browsers', () => {
  it('are each given once, and are free again when nothing of them runs, however it hides', {
    skip: !isRoot,
  }, async () => {
    const users = createUsers({ firstUid, count: 2 });
    assert.deepEqual([users.take(), users.take()], [firstUid, firstUid + 1]);
    assert.throws(() => users.take(), /no user is free/);
    // In a group of its own, away from its parent, deaf to everything that can be ignored, and multiplying.
    const script = `trap '' TERM HUP INT; (setsid sh -c 'while :; do sleep 5 & sleep 0.05; done' &) ; sleep 60`;
    spawn('setpriv', [`--reuid=${firstUid}`, `--regid=${firstUid}`, '--clear-groups', 'sh', '-c', script], {
      stdio: 'ignore',
      detached: true,
    });
    await until(async () => (await pidsOfUser(firstUid)).length > 3, 5000);
    const back = users.giveBack(firstUid);
    assert.throws(() => users.take(), 'not before it is clear');
    await back;
    assert.deepEqual(await pidsOfUser(firstUid), []);
    assert.equal(users.take(), firstUid);
  });

  it('are none where we cannot choose them', async () => {
    const users = createUsers({ firstUid: undefined, count: 0 });
    assert.equal(users.take(), undefined);
    await users.giveBack(undefined);
  });

  it('are claimed by one host at a time, also where ranges only overlap', async () => {
    const claimed = { firstUid: 34_000, count: 10 };
    const claim = await claimUsers(claimed);
    await assert.rejects(claimUsers({ firstUid: 34_005, count: 200 }), /another host on this machine/);
    claim.close();
    (await claimUsers(claimed)).close();
  });
});
