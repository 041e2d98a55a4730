// Started by namespaces.ts, as the first process of its namespaces: starts an engine, does one phase, and ends it.
import { buildImages } from './build.ts';
import { startEngine } from './engine.ts';
import type { PhaseInput } from './namespaces.ts';
import { runInstallation } from './run.ts';

const { phase, work, tree, extent, prepared }: PhaseInput = JSON.parse(process.argv[2] ?? '');
const engine = await startEngine({ tree, work, hasNetworks: phase === 'run' });
try {
  if (phase === 'build') await buildImages(engine, prepared);
  else await runInstallation(engine, { work, extent, profile: `${prepared.builder}/usr/share/seccomp-default.json` });
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await engine.close();
}
// The engine may have left processes that would keep this one waiting; they end with it.
process.exit();
