// Doors to a shared Chromium, for a bare client and for the browser library as a stranger would use it.

import { type Browser, type BrowserContext, type ConnectOverCDPTransport, chromium } from 'playwright-core';
import { type Door, type DoorOptions, openDoor } from '../src/cdp/filter/door.ts';
import { createRawClient, type SharedChromium } from './guests.ts';
import { soon } from './stage.ts';

/** The id that Chromium knows a context by. */
export async function contextIdOf(context: BrowserContext): Promise<string> {
  const page = context.pages()[0] ?? (await context.newPage());
  const cdp = await context.newCDPSession(page);
  const { targetInfo } = await cdp.send('Target.getTargetInfo');
  await cdp.detach();
  return String(targetInfo.browserContextId);
}

export type RawDoor = ReturnType<typeof createRawClient> & Door & { ends(): number };

type Fenced = Pick<DoorOptions, 'resumeMs' | 'driven' | 'whileDriven' | 'answerDialog' | 'onActs' | 'roundTrip'>;

export async function openRawDoor(
  { openGuest }: Pick<SharedChromium, 'openGuest'>,
  contextId: string,
  options: Fenced = {},
): Promise<RawDoor> {
  let ends = 0;
  const client = createRawClient((text) => door.take(text));
  const onEnd = () => {
    ends += 1;
  };
  const door = await openDoor({ openGuest, contextId, deliver: client.hear, onEnd, ...options }, soon(5000));
  return { ...client, ...door, ends: () => ends };
}

/**
 * Playwright through a door, with its messages as texts in both directions. `awayMs`: how long each is on its way; what the door
 * says in one turn arrives in one.
 */
export async function connectThroughDoor(
  { openGuest }: Pick<SharedChromium, 'openGuest'>,
  contextId: string,
  { awayMs = 0, ...options }: Fenced & { awayMs?: number } = {},
): Promise<{ browser: Browser; door: Door; close(): Promise<void> }> {
  const far = createWay(awayMs);
  const transport: ConnectOverCDPTransport = {
    send: (message) => far.there(() => door.take(JSON.stringify(message))),
    close: () => end(),
  };
  const end = async () => {
    await door.close();
    transport.onclose?.();
  };
  const deliver = (text: string) => far.back(() => void setImmediate(() => transport.onmessage?.(JSON.parse(text))));
  const roundTrip = () => new Promise<void>((resolve) => far.back(() => far.there(resolve)));
  const shared = { openGuest, contextId, deliver, roundTrip, onEnd: () => void end() };
  const door = await openDoor({ ...shared, ...options }, soon(5000));
  return { browser: await chromium.connectOverCDP(transport, { timeout: 20_000 }), door, close: end };
}

/** Two directions, each of which keeps its order. */
function createWay(awayMs: number) {
  const direction = () => {
    let sent: (() => void)[] = [];
    if (awayMs === 0) return (arrive: () => void) => arrive();
    return (arrive: () => void): void => {
      if (sent.push(arrive) > 1) return;
      const together = sent;
      queueMicrotask(() => {
        sent = [];
        setTimeout(() => together.forEach((one) => void one()), awayMs);
      });
    };
  };
  return { there: direction(), back: direction() };
}
