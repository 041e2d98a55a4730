// A stack without logins for one attack, or one that several attacks share. A shared one must be left as it was found: what an
// attack ends it starts again, and what it opens is its own.

import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { createStackOfProcess } from '../../testkit/stack/stack-of-process.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import type { AttackSize, OpenStack, SharedStack } from './attack.ts';

/** In a stack of its own, unless one is shared. */
export async function withOpenStack<T>(
  { stackName, shared }: Omit<AttackSize, 'isSmall'>,
  work: (parts: OpenStack) => Promise<T>,
): Promise<T> {
  if (shared) return work(shared.take());
  return withStack(stackName, async (stack) => {
    const sitePort = await freePort();
    return work({ ...(await start(stack, [sitePort])), sitePort });
  });
}

/** All attacks are one user's in it, and together they ask more often than one person does. */
const limits = { WRITE_LIMIT_PER_USER: '100000', LOOK_LIMIT_PER_USER: '100000', QUOTA_OPEN_TASKS: '100' };

/** For this many attacks; each has a port for its site. */
export async function openSharedStack(name: string, attacks: number): Promise<SharedStack> {
  const sitePorts = await Promise.all(Array.from({ length: attacks }, freePort));
  const stack = createStackOfProcess(name);
  const close = () => stack.down({ wipe: true });
  Object.assign(process.env, limits);
  try {
    const started = await start(stack, sitePorts);
    return {
      take() {
        const sitePort = sitePorts.shift();
        if (sitePort === undefined) throw new Error(`the stack is shared by ${attacks} attacks at most`);
        return { ...started, sitePort };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  } finally {
    for (const limit of Object.keys(limits)) delete process.env[limit];
  }
}

async function start(stack: Stack, sitePorts: number[]): Promise<Omit<OpenStack, 'sitePort'>> {
  const port = await freePort();
  const sites = sitePorts.map((one) => `http://127.0.0.1:${one}`);
  await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites });
  return { stack, port, baseUrl: `http://127.0.0.1:${port}` };
}
