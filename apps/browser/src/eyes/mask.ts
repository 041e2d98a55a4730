// Has the browser draw dots where a password or a payment card is written, in all documents of a page to come.

import type { CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { maskScript } from './page/script.ts';
import { WORLD_NAME } from './world.ts';

export type Mask = { close(): void };

/** Somebody to give commands to: the page, or a frame in a process of its own. */
type Listener = { send(method: string, params: object): Promise<unknown>; children: Map<string, Listener> };

const Message = z.object({ method: z.string(), params: z.unknown() });
const Attached = z.object({ sessionId: z.string() });
const Received = z.object({ sessionId: z.string(), message: z.string() });

/**
 * A frame in a process of its own has to wait at its start until it has the script: later would be too late for the
 * first picture. The library gives us no session of such a frame so early, so we speak to it through its parent.
 */
export async function installMask(page: Page): Promise<Mask> {
  const session = await page.context().newCDPSession(page);
  const root: Listener = { send: (method, params) => sendTo(session, method, params), children: new Map() };
  session.on('Target.attachedToTarget', (params) => onEvent(root, 'Target.attachedToTarget', params));
  session.on('Target.detachedFromTarget', (params) => onEvent(root, 'Target.detachedFromTarget', params));
  session.on('Target.receivedMessageFromTarget', (params) => onEvent(root, 'Target.receivedMessageFromTarget', params));
  await Promise.all(instruct(root));
  return { close: () => void session.detach().catch(() => undefined) };
}

/** The names of commands are ours; the library knows them all. */
const sendTo = (session: CDPSession, method: string, params: object): Promise<unknown> =>
  session.send(method as 'Page.enable', params);

function instruct({ send }: Listener): Promise<unknown>[] {
  return [
    // The browser runs such scripts only for whoever follows the page.
    send('Page.enable', {}),
    send('Page.addScriptToEvaluateOnNewDocument', {
      source: maskScript,
      worldName: WORLD_NAME,
      runImmediately: true,
    }),
    send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: false,
      filter: [{ type: 'iframe' }],
    }),
    send('Runtime.runIfWaitingForDebugger', {}),
  ];
}

function onEvent(to: Listener, method: string, params: unknown): void {
  if (method === 'Target.attachedToTarget') adopt(to, Attached.parse(params).sessionId);
  if (method === 'Target.detachedFromTarget') to.children.delete(Attached.parse(params).sessionId);
  if (method !== 'Target.receivedMessageFromTarget') return;
  const { sessionId, message } = Received.parse(params);
  const child = to.children.get(sessionId);
  const event = Message.safeParse(JSON.parse(message));
  // The rest are answers, of which we await none.
  if (child && event.success) onEvent(child, event.data.method, event.data.params);
}

let count = 0;

function adopt(parent: Listener, sessionId: string): void {
  const send = (method: string, params: object) => {
    count += 1;
    const message = JSON.stringify({ id: count, method, params });
    return parent.send('Target.sendMessageToTarget', { sessionId, message });
  };
  const child: Listener = { send, children: new Map() };
  parent.children.set(sessionId, child);
  // A frame that is already gone needs nothing.
  for (const sent of instruct(child)) sent.catch(() => undefined);
}
