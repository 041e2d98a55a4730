// A program that speaks the DevTools protocol itself, over Node's own WebSocket. It must never mend or repeat what it is told.

type Params = Record<string, unknown>;
export type RawMessage = { id?: number; method?: string; params?: Params; sessionId?: string; result?: Params };
export type RawAnswer = RawMessage & { error?: { code?: number; message: string } };

const openMs = 15_000;
const answerMs = 40_000;

export type RawClient = {
  /** The answer, an error too. Undefined where none comes in time. */
  ask(method: string, params?: unknown, options?: AskOptions): Promise<RawAnswer | undefined>;
  /** The result. Rejects with the words of the error. */
  send(method: string, params?: Params, sessionId?: string): Promise<Params>;
  /** Bytes that may be no command at all. */
  sendText(text: string): void;
  onMessage(listener: (message: RawAnswer, text: string) => void): void;
  /** Its code and reason, once it is closed. */
  closed: Promise<{ code: number; reason: string }>;
  isOpen(): boolean;
  close(): void;
};
type AskOptions = { sessionId?: string; timeoutMs?: number };

export async function connectRaw(url: string): Promise<RawClient> {
  const socket = new WebSocket(url);
  const asked = new Map<number, (answer: RawAnswer | undefined) => void>();
  const listeners: ((message: RawAnswer, text: string) => void)[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const text = String(data);
    const message = JSON.parse(text) as RawAnswer; // as the protocol has it
    for (const listener of listeners) listener(message, text);
    if (message.id !== undefined) asked.get(message.id)?.(message);
  });
  socket.addEventListener('close', ({ code, reason }) => {
    closed.resolve({ code, reason });
    for (const answer of asked.values()) answer(undefined);
  });
  await opened(socket);

  function ask(method: string, params: unknown = {}, { sessionId, timeoutMs = answerMs }: AskOptions = {}) {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<RawAnswer | undefined>();
    const timer = setTimeout(() => resolve(undefined), timeoutMs);
    asked.set(id, resolve);
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ id, method, params, sessionId }));
    else resolve(undefined);
    return promise.finally(() => {
      clearTimeout(timer);
      asked.delete(id);
    });
  }

  return {
    ask,
    async send(method, params, sessionId) {
      const answer = await ask(method, params, { sessionId });
      if (!answer) throw new Error(`${method}: no answer`);
      if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
      return answer.result ?? {};
    },
    sendText: (text) => socket.send(text),
    onMessage: (listener) => void listeners.push(listener),
    closed: closed.promise,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close: () => socket.close(),
  };
}

async function opened(socket: WebSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('the socket did not open in time')), openMs);
  socket.addEventListener('open', () => resolve());
  socket.addEventListener('error', () => reject(new Error('the socket could not be opened')));
  await promise.finally(() => clearTimeout(timer));
}

/** A page that the client sees, opened where there is none, and a flat session of it. */
export async function attachToPage(client: Pick<RawClient, 'send'>, url = 'about:blank') {
  const { targetInfos } = await client.send('Target.getTargets');
  const pages = (targetInfos as { targetId: string; type: string }[]).filter(({ type }) => type === 'page'); // as the protocol has it
  const targetId = pages[0]?.targetId ?? String((await client.send('Target.createTarget', { url })).targetId);
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  return { targetId, sessionId: String(sessionId) };
}

/** What a script in the page returns. Rejects with its exception. */
export async function evaluate(
  client: Pick<RawClient, 'send'>,
  sessionId: string,
  expression: string,
): Promise<unknown> {
  const answer = await client.send('Runtime.evaluate', { expression, returnByValue: true }, sessionId);
  const thrown = answer.exceptionDetails as { exception?: { description?: string }; text: string } | undefined; // as the protocol has it
  if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
  return (answer.result as { value?: unknown }).value; // as the protocol has it
}
