// Runs a part of the trial in namespaces of its own: mounts and processes always, networks where containers run. When the
// first process of them ends, the kernel ends all others and forgets the mounts and networks.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Prepared } from './bases.ts';
import type { Extent } from './run.ts';

export type Phase = 'build' | 'run';
/** `tree`: of the engine that is started. `extent`: of what is tried on it. */
export type PhaseInput = { phase: Phase; work: string; tree: string; extent: Extent; prepared: Prepared };

const mostMs: Record<Phase, number> = { build: 900_000, run: 900_000 };

export async function runPhase(input: PhaseInput, signal: AbortSignal): Promise<void> {
  const kinds = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation=private'];
  if (input.phase === 'run') kinds.push('--net');
  const program = [process.execPath, join(import.meta.dirname, 'inside.child.ts'), JSON.stringify(input)];
  const child = spawn('unshare', [...kinds, ...program], {
    stdio: ['ignore', 'inherit', 'inherit'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs[input.phase])]),
    killSignal: 'SIGKILL',
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('exit', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`the phase "${input.phase}" failed`);
}
