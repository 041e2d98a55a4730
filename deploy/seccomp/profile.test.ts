import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { profilePath, readProfile } from './make.ts';
import { type Rule, splitProfile, withSandboxCalls } from './profile.ts';

/** Of the profile of Docker 26.1.5, as it is in its sources. */
const ofDocker = 'a1c88dd679944776676eede5dd9da92a058731b85b9a1409f304f6acb2ce94f4';

const isUnconditional = ({ action, ...rule }: Rule) =>
  action === 'SCMP_ACT_ALLOW' && !('includes' in rule) && !('excludes' in rule) && !('args' in rule);

describe('the seccomp profile of browser hosts', () => {
  it("is Docker's, and allows exactly three calls more", async () => {
    const made = await readProfile(profilePath);
    const { given, added } = splitProfile(made);
    assert.deepEqual(
      added.map(({ names, action, comment, ...more }) => ({ names, action, more })),
      [{ names: ['chroot', 'clone', 'unshare'], action: 'SCMP_ACT_ALLOW', more: {} }],
    );
    assert.equal(createHash('sha256').update(JSON.stringify(given)).digest('hex'), ofDocker);
    assert.deepEqual(withSandboxCalls(given), made);
  });

  it('refuses what it does not name, and Docker allows none of the three to all', async () => {
    const { given } = splitProfile(await readProfile(profilePath));
    assert.equal(given.defaultAction, 'SCMP_ACT_ERRNO');
    const allowed = new Set(given.syscalls.filter(isUnconditional).flatMap(({ names }) => names));
    assert.ok(allowed.size > 250, `only ${allowed.size} calls`);
    for (const call of ['chroot', 'clone', 'unshare', 'mount', 'setns', 'bpf']) assert.ok(!allowed.has(call), call);
  });
});
