// What the attacks of one user on the others have in common: a stack with logins, and users of it.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';

export type Crowd = {
  stack: Stack;
  /** Registers a user, and answers a client that acts as them. */
  register(name: string): Promise<Client>;
  /** The same, for a client in another process. */
  registerFor(name: string): Promise<Access>;
};
export type Access = { baseUrl: string; token: string };
type Size = { agents?: number; sites?: string[]; settings?: Record<string, string> };

const password = 'a lamp in the harbour';

/** A whole stack in which people have to log in, with these settings in the environment of its processes. */
export async function withCrowd<T>(stackName: string, size: Size, work: (crowd: Crowd) => Promise<T>): Promise<T> {
  const { agents = 1, sites, settings = {} } = size;
  const before = Object.fromEntries(Object.keys(settings).map((name) => [name, process.env[name]]));
  Object.assign(process.env, settings);
  try {
    return await withStack(stackName, async (stack) => {
      const port = await freePort();
      await stack.up({ port, servers: 1, agents, browsers: 1, disableAuth: false, sites });
      const baseUrl = `http://127.0.0.1:${port}`;
      const registerFor = async (name: string) => {
        const user = { username: name, email: `${name}@example.test`, password };
        const nobody = createClient({ baseUrl });
        await nobody.register(user);
        const { access_token } = await nobody.login({ username_or_email: name, password });
        return { baseUrl, token: access_token };
      };
      const register = async (name: string) => clientOf(await registerFor(name));
      return work({ stack, register, registerFor });
    });
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

export const clientOf = ({ baseUrl, token }: Access): Client => createClient({ baseUrl, token: () => token });

/** A site of one attack, on loopback. */
export async function startSite(answer: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, so the address is of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Until it is so, or the time is over; says which. */
export async function cameTrue(isSo: () => Promise<boolean>, withinMs: number, everyMs = 100): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() > end) return false;
    await sleep(everyMs);
  }
}

/** How the task ended; the state it is in, where it did not in time. */
export async function endOf(client: Client, id: string, withinMs: number) {
  const read = async () => (await client.getTaskStatus({ id })).status;
  await cameTrue(async () => ['success', 'failed', 'cancelled'].includes((await read()).status), withinMs);
  return read();
}
