import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { createServices } from './services.ts';
import { createStack, type Stack } from './stack.ts';

type Parts = { down(options: { wipe: boolean }): Promise<void> };
/** What the work is given beside its parts: a signal that asks it to end. */
type Work<P, T> = (parts: P, signal: AbortSignal) => Promise<T>;

/** Does the work with private services that are gone afterwards, however it ends: well, badly, or by Ctrl-C. */
export const withServices = <T>(name: string, work: Work<ReturnType<typeof createServices>, T>) =>
  withParts(() => createServices(name), work);

/** The same with a whole stack. */
export const withStack = <T>(name: string, work: Work<ReturnType<typeof createStack>, T>) =>
  withParts(() => createStack(name), work);

/** The same with two, each of which the work may destroy itself. */
export const withTwoStacks = <T>([one, other]: [string, string], work: Work<[Stack, Stack], T>) =>
  withParts(
    () => {
      const stacks: [Stack, Stack] = [createStack(one), createStack(other)];
      const isThere = ({ services }: Stack) => existsSync(services.place.dir);
      const down: Parts['down'] = async (options) => {
        await Promise.all(stacks.filter(isThere).map((stack) => stack.down(options)));
      };
      return { stacks, down };
    },
    ({ stacks }, signal) => work(stacks, signal),
  );

const endings = ['SIGINT', 'SIGTERM'] as const;

async function withParts<P extends Parts, T>(create: () => P, work: Work<P, T>): Promise<T> {
  const ending = new AbortController();
  const end = (signal: NodeJS.Signals) => ending.abort(signal);
  // Before anything starts. They stay while we tidy up: a second Ctrl-C must not stop that.
  for (const signal of endings) process.on(signal, end);
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(new Error('interrupted')));
  });
  const parts = create();
  try {
    return await Promise.race([work(parts, ending.signal), ended]);
  } finally {
    await parts.down({ wipe: true });
    for (const signal of endings) process.off(signal, end);
    if (ending.signal.aborted) process.exit(128 + constants.signals[ending.signal.reason as NodeJS.Signals]);
  }
}
