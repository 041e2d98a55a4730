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

type Fenced = Pick<DoorOptions, 'resumeMs' | 'driven' | 'whileDriven' | 'answerDialog' | 'onActs'>;

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

/** Playwright through a door, with its messages as texts in both directions. */
export async function connectThroughDoor(
  { openGuest }: Pick<SharedChromium, 'openGuest'>,
  contextId: string,
  options: Fenced = {},
): Promise<{ browser: Browser; door: Door; close(): Promise<void> }> {
  const transport: ConnectOverCDPTransport = {
    send: (message) => door.take(JSON.stringify(message)),
    close: () => end(),
  };
  const end = async () => {
    await door.close();
    transport.onclose?.();
  };
  const deliver = (text: string) => void setImmediate(() => transport.onmessage?.(JSON.parse(text)));
  const door = await openDoor({ openGuest, contextId, deliver, onEnd: () => void end(), ...options }, soon(5000));
  return { browser: await chromium.connectOverCDP(transport, { timeout: 20_000 }), door, close: end };
}
