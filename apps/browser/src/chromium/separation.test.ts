import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { findSeparation, separationNotices } from './separation.ts';

describe('what stands between a browser and its host', () => {
  it('is a user of its own where we can give it one', async () => {
    assert.equal(await findSeparation({ firstUid: 20_000 }), 'user');
    assert.deepEqual(separationNotices.user, []);
  });

  it('is a view of its own processes only, where the system lets us make one', async () => {
    const canMake = spawnSync('unshare', ['--user', '--map-current-user', '--pid', '--fork', '--mount-proc', 'true']);
    assert.equal(await findSeparation({ firstUid: undefined }), canMake.status === 0 ? 'namespace' : 'none');
  });

  // As on a system that lets nobody make user namespaces.
  const walled = ['--user', '--map-user=1234', '--keep-caps', 'sh', '-c'];
  const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces';
  const canForbid = spawnSync('unshare', [...walled, forbid]).status === 0;
  it('is nothing elsewhere, and then it is said what that means', { skip: !canForbid }, () => {
    const code = `import { findSeparation } from '${import.meta.dirname}/separation.ts';
      console.log(await findSeparation({ firstUid: undefined }));`;
    const command = `${forbid}; exec "$0" --input-type=module-typescript --eval "$1"`;
    const { stdout } = spawnSync('unshare', [...walled, command, process.execPath, code], { encoding: 'utf8' });
    assert.equal(stdout, 'none\n');
    assert.match(separationNotices.none.join(), /can read the password of this host/);
  });
});
