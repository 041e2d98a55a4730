import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../../testkit/stack/stack.ts';
import { openRawBus } from './raw-bus.ts';

export const rogueId = 'browser-2';
type SignIn = { user: string; password: string };
type Admit = (member: { role: 'host'; id: string }) => Promise<SignIn>;

/** The bus of a stack for an attacker who has only the password of one browser host. */
export async function openAsHost(stack: Stack) {
  const { url, passwords } = stack.services.bus();
  // Where hosts are not admitted one by one, the bus knows sixteen of them from its start.
  const admit = (stack.services as { admit?: Admit }).admit;
  const known = { user: `host-${rogueId}`, password: passwords.hosts[rogueId] ?? '' };
  const signIn = admit ? await admit({ role: 'host', id: rogueId }) : known;
  return openRawBus({ url, ...signIn });
}

/** The bus no longer knows the rogue: it may not come back, and the next attack is admitted like the first. */
export const removeHost = (stack: Stack) => stack.services.remove({ role: 'host', id: rogueId });

/** How servers are called on this bus: by one name for all, or each by its own. */
export const serverInbox = (stack: Stack): string =>
  'server' in stack.services.bus().passwords ? '_IN.server' : '_IN.server-1';

export type Visit = { method: string; url: string; cookie: string };

/** A bank with a single button, as large as the page, and a list of all who came. */
export async function startBank(port: number) {
  const visits: Visit[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    visits.push({ method, url, cookie: headers.cookie ?? '' });
    response.setHeader('content-type', 'text/html');
    if (!headers.cookie) response.setHeader('set-cookie', 'sess=canary-cookie');
    response.end(`<title>Bank</title><button style="position:fixed;inset:0"
      onclick="fetch('/transfer', { method: 'POST' })">Transfer all</button>`);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    visits,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether it becomes so in time. */
export async function becomes(ask: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await ask())) {
    if (performance.now() > end) return false;
    await sleep(25);
  }
  return true;
}
