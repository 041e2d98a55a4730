// Negative controls: a browser host under a profile that lacks something has to refuse to start, and to say why.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { imageOf } from '../images/targets.ts';
import { readProfile } from '../seccomp/make.ts';
import { sandboxCalls, withSandboxCalls } from '../seccomp/profile.ts';
import type { Engine } from './engine.ts';

const capabilities = ['SETUID', 'SETGID', 'SETPCAP', 'CHOWN', 'KILL', 'DAC_OVERRIDE', 'FOWNER'];
const refusal = /CHROMIUM_PATH: .*(no sandbox|does not start|without)/;
/** What a host says that got past its sandbox and then finds no bus. */
const pastSandbox = /could not start/;

type Host = { profile: string | undefined; user: string };

/** One host by itself, without a network, as the compose file would start it. */
async function tryHost({ tryDocker }: Engine, { profile, user }: Host): Promise<{ code: number | null; said: string }> {
  const { code, stdout, stderr } = await tryDocker(
    [
      ...['run', '--rm', '--init', '--network=none', '--read-only', '--tmpfs=/tmp:exec,mode=1777', `--user=${user}`],
      ...['--cap-drop=ALL', ...capabilities.map((name) => `--cap-add=${name}`), '--security-opt=no-new-privileges'],
      ...(profile ? [`--security-opt=seccomp=${profile}`] : []),
      ...['--env=HOST_ID=alone', '--env=NATS_URL=tls://127.0.0.1:4222', '--env=NATS_PASSWORD=of-no-use-to-anyone'],
      imageOf('browser', packageJson.version),
    ],
    { timeoutMs: 300_000 },
  );
  return { code, said: `${stdout}${stderr}` };
}

export async function checkRefusals(
  engine: Engine,
  { work, profile }: { work: string; profile: string },
): Promise<void> {
  const docker = await readProfile(profile);
  const write = async (name: string, calls: string[]) => {
    const path = join(work, `${name}.json`);
    await writeFile(path, JSON.stringify(withSandboxCalls(docker, calls)));
    return path;
  };
  const cases: [string, Host][] = [["Docker's own profile", { profile: undefined, user: '0:0' }]];
  for (const call of sandboxCalls) {
    const others = sandboxCalls.filter((one) => one !== call);
    cases.push([`a profile without ${call}`, { profile: await write(`without-${call}`, others), user: '0:0' }]);
  }
  const whole = await write('whole', sandboxCalls);
  const checks = [
    ...cases.map(([name, host]) => async () => {
      const { code, said } = await tryHost(engine, host);
      assert.equal(code, 2, `${name}: ${said}`);
      assert.match(said, refusal, name);
    }),
    ...['0:0', '10001:10001'].map((user) => async () => {
      const { code, said } = await tryHost(engine, { profile: whole, user });
      assert.equal(code, 1, `as ${user}: ${said}`);
      assert.match(said, pastSandbox);
      assert.doesNotMatch(said, /CHROMIUM_PATH/);
      // Why root is the default: without it nothing stands between the browsers and their host.
      assert.equal(/does not let it hide processes/.test(said), user !== '0:0', said);
    }),
  ].values();
  const lane = async () => {
    for (const check of checks) await check();
  };
  await Promise.all([lane(), lane()]);
}
