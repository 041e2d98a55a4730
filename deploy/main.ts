// npm run images [-- build|test [debian-12|debian-13]|seccomp FILE]: builds the images with the Docker of this machine; tests them
// with engines of its own, Debian 13's and Debian 12's; makes the seccomp profile of browser hosts from that of an engine.
import packageJson from '../package.json' with { type: 'json' };
import { root } from '../testkit/stack/folders.ts';
import { buildArguments, targets } from './images/targets.ts';
import { writeProfile } from './seccomp/make.ts';
import { isRelease, releases } from './trial/bases.ts';
import { runCommand, tryCommand } from './trial/command.ts';
import { runTrial } from './trial/trial.ts';

const buildMs = 1_800_000;

const [command = 'build', named] = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(new Error('interrupted')));

const commands: Record<string, () => Promise<void>> = {
  async build() {
    const asked = await tryCommand(['docker', 'version'], { timeoutMs: 30_000 }).catch(() => undefined);
    if (asked?.code !== 0) throw new Error('no Docker engine answers here; `npm run images -- test` needs none');
    for (const target of targets)
      await runCommand(['docker', 'build', ...buildArguments(target, packageJson.version)], {
        cwd: root,
        timeoutMs: buildMs,
        isShown: true,
      });
  },
  async test() {
    if (named !== undefined && !isRelease(named)) throw new Error(`"${named}" is none of ${releases.join(', ')}`);
    await runTrial(named === undefined ? releases : [named], ending.signal);
  },
  async seccomp() {
    if (!named) throw new Error('name the profile of an engine: profiles/seccomp/default.json of its sources');
    await writeProfile(named);
  },
};

const run = commands[command];
if (!run) {
  console.error(`usage: npm run images [-- ${Object.keys(commands).join('|')}]`);
  process.exit(2);
}
try {
  await run();
} catch (error) {
  console.error(`images: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
