// A Chromium with two contexts, as the host has it, and clients that speak the bare protocol.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../testkit/until.ts';
import { type Chromium, type LaunchSettings, launchChromium } from '../src/chromium/launch.ts';
import { createUsers } from '../src/chromium/unix-users.ts';

const shell = '/usr/lib/chromium/chromium-headless-shell';

export type SharedChromium = Chromium & { end(): Promise<void> };

/** `firstUid`: tests run side by side, and each has users of its own. */
export async function startSharedChromium(
  firstUid: number,
  settings: Partial<LaunchSettings> = {},
): Promise<SharedChromium> {
  const parent = await mkdtemp(join(tmpdir(), 'pilothouse-guests-'));
  await chmod(parent, 0o711);
  const users = createUsers({ firstUid: process.getuid?.() === 0 ? firstUid : undefined, count: 1 });
  const chromium = await launchChromium({
    path: shell,
    parent,
    users,
    hasSandbox: true,
    timeoutMs: 20_000,
    ...settings,
  });
  return {
    ...chromium,
    async end() {
      await chromium.close();
      await rm(parent, { recursive: true, force: true });
    },
  };
}

export type CdpEvent = { method: string; params: Record<string, unknown>; sessionId?: string };
type Answer = { result?: Record<string, unknown>; error?: { code: number; message: string }; sessionId?: string };

/** A client that sends what it is told and keeps what it hears. Messages are texts, as on a WebSocket. */
export function createRawClient(send: (text: string) => void) {
  const events: CdpEvent[] = [];
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  const ask = (method: string, params?: object, sessionId?: string): Promise<Answer> => {
    last += 1;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(last, resolve);
    send(JSON.stringify({ id: last, method, params, sessionId }));
    return promise;
  };
  return {
    events,
    ask,
    hear(text: string): void {
      const { id, ...message } = JSON.parse(text) as Answer & CdpEvent & { id?: number };
      if (id === undefined) events.push(message);
      else waiting.get(id)?.(message);
    },
    /** The result, where nothing is refused. */
    async must<T = Record<string, unknown>>(method: string, params?: object, sessionId?: string): Promise<T> {
      const { result, error } = await ask(method, params, sessionId);
      if (error) throw new Error(`${method}: ${error.message}`);
      return result as T; // as the protocol promises it
    },
    /** The first event of this kind that fits. */
    async event(method: string, fits: (params: Record<string, unknown>) => boolean = () => true): Promise<CdpEvent> {
      const find = () => events.find((one) => one.method === method && fits(one.params));
      await until(() => find() !== undefined, 10_000);
      return find() as CdpEvent; // it was found
    },
  };
}
