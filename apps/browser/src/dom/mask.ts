// Has the browser draw dots where a password or a payment card is written, in all documents of a page to come, and hears
// from them which fields are used.

import type { CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { BINDING, coverScript, maskScript } from './page/script.ts';
import { WORLD_NAME } from './world.ts';

export type Mask = { close(): void };

const News = z.discriminatedUnion('type', [
  /** A field that holds a secret has the focus, or none has it any more. */
  z.object({ type: z.literal('focus'), is_secret: z.boolean() }),
  /** Somebody wrote into a field. */
  z.object({ type: z.literal('written'), number: z.int(), label: z.string().max(200), is_text: z.boolean() }),
  z.object({ type: z.literal('covered'), number: z.int() }),
]);
export type FieldNews = z.output<typeof News>;

/** A document of the page, as long as it stands. */
export type FieldPlace = { key: string; cover(number: number): void };

export type FieldListener = {
  onNews(news: FieldNews, place: FieldPlace): void;
  /** All documents whose key begins so are gone. */
  onGone(prefix: string): void;
};

/** Somebody to give commands to: the page, or a frame in a process of its own. */
type Listener = {
  id: string;
  isReleasing: boolean;
  send(method: string, params: object): Promise<unknown>;
  children: Map<string, Listener>;
};

const RELEASE_MS = 1000;

const Message = z.object({ method: z.string(), params: z.unknown() });
const Attached = z.object({ sessionId: z.string() });
const Received = z.object({ sessionId: z.string(), message: z.string() });
const Destroyed = z.object({ executionContextId: z.int() });
const Called = z.object({ name: z.string(), payload: z.string(), executionContextId: z.int() });

/**
 * A frame in a process of its own has to wait at its start until it has the script: later would be too late for the
 * first picture. The library gives us no session of such a frame so early, so we speak to it through its parent.
 */
export async function installMask(page: Page, fields?: FieldListener): Promise<Mask> {
  const session = await page.context().newCDPSession(page);
  const root: Listener = {
    id: '0',
    isReleasing: false,
    send: (method, params) => sendTo(session, method, params),
    children: new Map(),
  };
  const hear = createHearing(fields);
  session.on('Target.attachedToTarget', (params) => hear(root, 'Target.attachedToTarget', params));
  session.on('Target.detachedFromTarget', (params) => hear(root, 'Target.detachedFromTarget', params));
  session.on('Target.receivedMessageFromTarget', (params) => hear(root, 'Target.receivedMessageFromTarget', params));
  session.on('Runtime.bindingCalled', (params) => hear(root, 'Runtime.bindingCalled', params));
  session.on('Runtime.executionContextDestroyed', (params) => hear(root, 'Runtime.executionContextDestroyed', params));
  session.on('Runtime.consoleAPICalled', () => hear(root, 'Runtime.consoleAPICalled', {}));
  session.on('Runtime.executionContextsCleared', () => hear(root, 'Runtime.executionContextsCleared', {}));
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
    // Documents to come get the binding only from whoever follows what runs in them.
    send('Runtime.enable', {}),
    send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD_NAME }),
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

function createHearing(fields: FieldListener | undefined) {
  return function hear(to: Listener, method: string, params: unknown): void {
    if (method === 'Target.attachedToTarget') adopt(to, Attached.parse(params).sessionId);
    if (method === 'Target.detachedFromTarget') {
      const { sessionId } = Attached.parse(params);
      const gone = to.children.get(sessionId);
      to.children.delete(sessionId);
      for (const one of gone ? withChildren(gone) : []) fields?.onGone(`${one.id} `);
    }
    if (method === 'Runtime.bindingCalled') tell(to, Called.parse(params), fields);
    if (method === 'Runtime.consoleAPICalled') releaseLater(to);
    if (method === 'Runtime.executionContextsCleared') fields?.onGone(`${to.id} `);
    if (method === 'Runtime.executionContextDestroyed')
      fields?.onGone(`${to.id} ${Destroyed.parse(params).executionContextId} `);
    if (method !== 'Target.receivedMessageFromTarget') return;
    const { sessionId, message } = Received.parse(params);
    const child = to.children.get(sessionId);
    const event = Message.safeParse(JSON.parse(message));
    // The rest are answers, of which we await none.
    if (child && event.success) hear(child, event.data.method, event.data.params);
  };
}

/** What a page writes to its console is kept for us, and nobody wants it. */
function releaseLater(from: Listener): void {
  if (from.isReleasing) return;
  from.isReleasing = true;
  setTimeout(() => {
    from.isReleasing = false;
    from.send('Runtime.releaseObjectGroup', { objectGroup: 'console' }).catch(() => undefined);
  }, RELEASE_MS).unref();
}

const withChildren = (one: Listener): Listener[] => [one, ...[...one.children.values()].flatMap(withChildren)];

/** Only our script can say something here, and it runs beside a page that nobody trusts: it is checked all the same. */
function tell(from: Listener, called: z.output<typeof Called>, fields: FieldListener | undefined): void {
  if (called.name !== BINDING || !fields) return;
  const news = News.safeParse(parsed(called.payload));
  if (!news.success) return;
  const contextId = called.executionContextId;
  fields.onNews(news.data, {
    key: `${from.id} ${contextId}`,
    cover(number) {
      // Answered by the document itself, with `covered`; one that is gone has nothing to cover.
      from.send('Runtime.evaluate', { contextId, expression: coverScript(number) }).catch(() => undefined);
    },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let count = 0;

function adopt(parent: Listener, sessionId: string): void {
  const send = (method: string, params: object) => {
    count += 1;
    const message = JSON.stringify({ id: count, method, params });
    return parent.send('Target.sendMessageToTarget', { sessionId, message });
  };
  count += 1;
  const child: Listener = { id: String(count), isReleasing: false, send, children: new Map() };
  parent.children.set(sessionId, child);
  // A frame that is already gone needs nothing.
  for (const sent of instruct(child)) sent.catch(() => undefined);
}
