// Has the browser draw dots where a password or a payment card is written, in all documents of a page to come, and hears
// from them which fields are used.

import type { CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { bestEffort } from '../common/best-effort.ts';
import { bindingName, coverScript, hideScript, maskScript } from './injected/script.ts';
import type { Fingerprints } from './injected/shown-secrets.ts';
import { worldName } from './worlds/isolated-world.ts';

export type Mask = {
  /** Covers what shows these values, in all documents of the page and in those to come. */
  hide(prints: Fingerprints): Promise<void>;
  close(): void;
};

/** What every target of the page is told at its start. */
type Hidden = { prints: Fingerprints | undefined };

const News = z.discriminatedUnion('type', [
  /** A field that holds a secret has the focus, put there by a touch of ours or by the page; null: none has it any more. */
  z.object({ type: z.literal('focus'), by: z.enum(['touch', 'page']).nullable() }),
  /** A hand wrote into a field. */
  z.object({ type: z.literal('written'), number: z.int(), label: z.string().max(200), is_text: z.boolean() }),
  z.object({ type: z.literal('covered'), number: z.int() }),
  /** Keys that produce text went into a field that dots can cover, or somewhere else. */
  z.object({ type: z.literal('keys'), is_known: z.boolean() }),
  /** The page's own document has the script, and has drawn itself since; where it is not drawn, some time has passed. */
  z.object({ type: z.literal('shown'), is_drawn: z.boolean() }),
  /** The page's own document, or another that may speak for it, is about to go there. */
  z.object({ type: z.literal('leaving'), url: z.string() }),
  /** The text was put on the clipboard. */
  z.object({ type: z.literal('copied'), text: z.string().max(65_537) }),
]);
type OtherNews = Extract<z.output<typeof News>, { type: 'leaving' | 'copied' }>;
export type FieldNews = Exclude<z.output<typeof News>, OtherNews>;

/** A document of the page, as long as it stands. */
export type FieldDocument = { key: string; cover(number: number): void };

export type FieldListener = {
  onNews(news: FieldNews, place: FieldDocument): void;
  /** All documents whose key begins so are gone. */
  onGone(prefix: string): void;
  /** The page shows another document. */
  onDocument(): void;
  /** A frame in a process of its own could not be masked, and later could be or is gone. */
  onUnmasked(frame: string): void;
  onMasked(frame: string): void;
  /** The page itself begins to go to this address; what a frame of another site has it do is not told. */
  onLeaving?(url: string): void;
  onCopied?(text: string): void;
};

/** A target of commands: the page, or a frame in a process of its own. */
type Listener = {
  id: string;
  isReleasing: boolean;
  send(method: string, params: object): Promise<unknown>;
  /** What was sent through the parent, by the number of the message, until it is answered. */
  asked: Map<number, PromiseWithResolvers<unknown>>;
  children: Map<string, Listener>;
  /** The contexts of our world in its documents. */
  worlds: Set<number>;
};

const releaseMs = 1000;
const retryMs = 500;

/** The page itself. */
const rootId = '0';

const Message = z.object({ method: z.string(), params: z.unknown() });
const Answer = z.object({ id: z.int(), error: z.object({ message: z.string() }).optional() });
const Attached = z.object({ sessionId: z.string() });
const Received = z.object({ sessionId: z.string(), message: z.string() });
const Created = z.object({ context: z.object({ id: z.int(), name: z.string() }) });
const Destroyed = z.object({ executionContextId: z.int() });
const Navigated = z.object({ frame: z.object({ parentId: z.string().optional() }) });
const Called = z.object({ name: z.string(), payload: z.string(), executionContextId: z.int() });

/**
 * A frame in a process of its own has to wait at its start until it has the script: later would be too late for the
 * first picture. The library gives us no session of such a frame so early, so we speak to it through its parent.
 */
export async function installMask(page: Page, fields?: FieldListener, prints?: Fingerprints): Promise<Mask> {
  const session = await page.context().newCDPSession(page);
  const root: Listener = {
    id: rootId,
    isReleasing: false,
    send: (method, params) => sendTo(session, method, params),
    asked: new Map(),
    children: new Map(),
    worlds: new Set(),
  };
  const hidden: Hidden = { prints };
  const hear = createHearing(fields, hidden);
  session.on('Target.attachedToTarget', (params) => hear(root, 'Target.attachedToTarget', params));
  session.on('Target.detachedFromTarget', (params) => hear(root, 'Target.detachedFromTarget', params));
  session.on('Target.receivedMessageFromTarget', (params) => hear(root, 'Target.receivedMessageFromTarget', params));
  session.on('Runtime.bindingCalled', (params) => hear(root, 'Runtime.bindingCalled', params));
  session.on('Runtime.executionContextCreated', (params) => hear(root, 'Runtime.executionContextCreated', params));
  session.on('Runtime.executionContextDestroyed', (params) => hear(root, 'Runtime.executionContextDestroyed', params));
  session.on('Runtime.consoleAPICalled', () => hear(root, 'Runtime.consoleAPICalled', {}));
  session.on('Runtime.executionContextsCleared', () => hear(root, 'Runtime.executionContextsCleared', {}));
  session.on('Page.frameNavigated', (params) => hear(root, 'Page.frameNavigated', params));
  const close = () => void bestEffort('detach the mask', session.detach());
  await Promise.all(instruct(root, hidden)).catch((error) => {
    close();
    throw error;
  });
  return {
    async hide(next) {
      hidden.prints = next;
      const [first, ...frames] = withChildren(root).map((one) => one.send(...hidingOf(next)));
      // A frame that is gone has nothing to cover.
      for (const frame of frames) void bestEffort('cover secrets in a frame', frame);
      await first;
    },
    close,
  };
}

const hidingOf = (prints: Fingerprints): [string, object] => [
  'Page.addScriptToEvaluateOnNewDocument',
  { source: hideScript(prints), worldName, runImmediately: true },
];

/** The names of commands are ours; the library knows them all. */
const sendTo = (session: CDPSession, method: string, params: object): Promise<unknown> =>
  session.send(method as 'Page.enable', params);

function instruct({ send }: Listener, { prints }: Hidden): Promise<unknown>[] {
  return [
    // The browser runs such scripts only for a client that follows the page.
    send('Page.enable', {}),
    // Documents to come get the binding only from a client that follows what runs in them.
    send('Runtime.enable', {}),
    send('Runtime.addBinding', { name: bindingName, executionContextName: worldName }),
    send('Page.addScriptToEvaluateOnNewDocument', {
      source: maskScript,
      worldName,
      runImmediately: true,
    }),
    ...(prints ? [send(...hidingOf(prints))] : []),
    send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: false,
      filter: [{ type: 'iframe' }],
    }),
    send('Runtime.runIfWaitingForDebugger', {}),
  ];
}

function createHearing(fields: FieldListener | undefined, hidden: Hidden) {
  return function hear(to: Listener, method: string, params: unknown): void {
    if (method === 'Target.attachedToTarget') adopt(to, Attached.parse(params).sessionId, hidden, fields);
    if (method === 'Target.detachedFromTarget') {
      const { sessionId } = Attached.parse(params);
      const gone = to.children.get(sessionId);
      to.children.delete(sessionId);
      for (const one of gone ? withChildren(gone) : []) {
        fields?.onGone(`${one.id} `);
        fields?.onMasked(one.id);
      }
    }
    if (method === 'Page.frameNavigated' && to.id === rootId && !Navigated.parse(params).frame.parentId)
      fields?.onDocument();
    if (method === 'Runtime.bindingCalled') tell(to, Called.parse(params), fields);
    if (method === 'Runtime.consoleAPICalled') releaseLater(to);
    if (method === 'Runtime.executionContextCreated') noteWorld(to, Created.parse(params).context);
    if (method === 'Runtime.executionContextsCleared') {
      to.worlds.clear();
      fields?.onGone(`${to.id} `);
    }
    if (method === 'Runtime.executionContextDestroyed') {
      const { executionContextId } = Destroyed.parse(params);
      to.worlds.delete(executionContextId);
      fields?.onGone(`${to.id} ${executionContextId} `);
    }
    if (method !== 'Target.receivedMessageFromTarget') return;
    const { sessionId, message } = Received.parse(params);
    const child = to.children.get(sessionId);
    const heard: unknown = JSON.parse(message);
    const event = Message.safeParse(heard);
    if (child && event.success) hear(child, event.data.method, event.data.params);
    const answer = Answer.safeParse(heard);
    if (child && answer.success) settle(child, answer.data);
  };
}

function settle({ asked }: Listener, { id, error }: z.output<typeof Answer>): void {
  const one = asked.get(id);
  asked.delete(id);
  if (error) one?.reject(new Error(error.message));
  else one?.resolve(undefined);
}

/** What a page writes to its console is kept for us, and not needed. */
function releaseLater(from: Listener): void {
  if (from.isReleasing) return;
  from.isReleasing = true;
  setTimeout(() => {
    from.isReleasing = false;
    void bestEffort('release console objects', from.send('Runtime.releaseObjectGroup', { objectGroup: 'console' }));
  }, releaseMs).unref();
}

const withChildren = (one: Listener): Listener[] => [one, ...[...one.children.values()].flatMap(withChildren)];

function noteWorld({ worlds }: Listener, { id, name }: { id: number; name: string }): void {
  if (name === worldName) worlds.add(id);
}

/**
 * Only our script can say something here: a program may give the page itself a binding of the same name, and the browser tells every
 * client of each call. It runs beside a page that is not trusted: what it says is checked all the same.
 */
function tell(from: Listener, called: z.output<typeof Called>, fields: FieldListener | undefined): void {
  if (called.name !== bindingName || !from.worlds.has(called.executionContextId) || !fields) return;
  const news = News.safeParse(parsed(called.payload));
  if (!news.success) return;
  if (news.data.type === 'leaving') return void fields.onLeaving?.(news.data.url);
  if (news.data.type === 'copied') return void fields.onCopied?.(news.data.text);
  const contextId = called.executionContextId;
  fields.onNews(news.data, {
    key: `${from.id} ${contextId}`,
    cover(number) {
      // Answered by the document itself, with `covered`; one that is gone has nothing to cover.
      void bestEffort('cover a field', from.send('Runtime.evaluate', { contextId, expression: coverScript(number) }));
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

function adopt(parent: Listener, sessionId: string, hidden: Hidden, fields: FieldListener | undefined): void {
  const asked: Listener['asked'] = new Map();
  const send = (method: string, params: object) => {
    count += 1;
    const id = count;
    const one = Promise.withResolvers<unknown>();
    asked.set(id, one);
    const message = JSON.stringify({ id, method, params });
    parent.send('Target.sendMessageToTarget', { sessionId, message }).catch((error) => {
      asked.delete(id);
      one.reject(error);
    });
    return one.promise;
  };
  count += 1;
  const child: Listener = {
    id: String(count),
    isReleasing: false,
    send,
    asked,
    children: new Map(),
    worlds: new Set(),
  };
  parent.children.set(sessionId, child);
  instructUntilDone({ parent, sessionId, child, hidden, fields });
}

type Frame = {
  parent: Listener;
  sessionId: string;
  child: Listener;
  hidden: Hidden;
  fields: FieldListener | undefined;
};

/** A frame that is already gone needs nothing. */
function instructUntilDone(frame: Frame): void {
  const { parent, sessionId, child, hidden, fields } = frame;
  const isThere = () => parent.children.get(sessionId) === child;
  Promise.all(instruct(child, hidden)).then(
    () => fields?.onMasked(child.id),
    () => {
      if (!isThere()) return;
      fields?.onUnmasked(child.id);
      setTimeout(() => isThere() && instructUntilDone(frame), retryMs).unref();
    },
  );
}
