// Builds every image with the trial's engine, on stand-ins for their bases.
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../../testkit/stack/folders.ts';
import { buildArguments, imageOf, type Target, targets } from '../images/targets.ts';
import type { Prepared } from './bases.ts';
import type { Engine } from './engine.ts';

const buildMs = 600_000;

export async function buildImages({ docker }: Engine, { images }: Prepared): Promise<void> {
  const brought = images.map(({ image, archive, says }) =>
    docker(['import', ...says.flatMap((line) => ['--change', line]), archive, image], { timeoutMs: buildMs }),
  );
  await Promise.all(brought);
  const waiting = targets.values();
  const lane = async () => {
    for (const target of waiting) await build(docker, target);
  };
  // Some wait for packages to come while others compute.
  await Promise.all([lane(), lane()]);
}

async function build(docker: Engine['docker'], target: Target): Promise<void> {
  const started = performance.now();
  // In the machine's network, because this engine makes none.
  const told = ['--network=host', '--progress=plain', ...buildArguments(target, packageJson.version)];
  await docker(['build', ...told], { cwd: root, timeoutMs: buildMs });
  const bytes = Number(await docker(['image', 'inspect', '--format={{.Size}}', imageOf(target, packageJson.version)]));
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`images: built ${target} in ${seconds} s, ${Math.round(bytes / 1e6)} MB`);
}
