// A stack that does not outlive this process. A test file that is interrupted runs no `after`; what it had started would stay.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root } from './folders.ts';
import { createStack, type Stack } from './stack.ts';

const downMs = 60_000;
const endings = ['SIGINT', 'SIGTERM'] as const;
const stacks = new Map<string, Stack>();

/** The test ends the stack with `down`. If it did not, the exit of this process removes the stack, which takes some seconds. */
export function createStackOfProcess(name: string): Stack {
  const stack = createStack(name);
  if (stacks.size === 0) {
    process.once('exit', removeAll);
    for (const signal of endings) process.on(signal, exit);
  }
  stacks.set(name, stack);
  return stack;
}

/** Where this is not the only listener, the other one (`withStack`) tidies up first and then exits. */
function exit(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
}

function removeAll(): void {
  for (const [name, { services }] of stacks) {
    if (!existsSync(services.place.dir)) continue;
    const args = [join(root, 'scripts/stack.ts'), 'down', '--wipe', '--name', name];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: downMs });
    if (status !== 0) console.error(`the stack "${name}" is left behind: ${stderr}`);
  }
}
