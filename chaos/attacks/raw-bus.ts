import { connect } from 'node:net';

/** A connection to NATS that obeys no rule of ours: it says whatever it is told to, and only NATS can refuse it. */
export type RawBus = {
  publish(subject: string, body: string | Uint8Array, reply?: string): void;
  subscribe(subject: string, onMessage: (message: RawMessage) => void, queue?: string): void;
  /** Resolves when NATS has dealt with all that was said before. */
  flush(): Promise<void>;
  /** What NATS refused, in its own words. */
  refused: string[];
  close(): void;
};
export type RawMessage = { subject: string; reply: string | undefined; body: Buffer };

const answerMs = 5000;

/** Rejects where NATS does not let the user in. */
export async function openRawBus({ url, user, password }: { url: string; user: string; password: string }) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const listeners = new Map<string, (message: RawMessage) => void>();
  const waiting: PromiseWithResolvers<void>[] = [];
  const refused: string[] = [];
  let unread = Buffer.alloc(0);

  /** One line, and what follows it; false where it has not all come yet. */
  function readOne(): boolean {
    const end = unread.indexOf('\r\n');
    if (end < 0) return false;
    const line = unread.toString('utf8', 0, end);
    const words = line.split(' ');
    let next = end + 2;
    if (words[0] === 'MSG') {
      const length = Number(words.at(-1));
      if (unread.length < next + length + 2) return false;
      const body = Buffer.from(unread.subarray(next, next + length));
      next += length + 2;
      const reply = words.length === 5 ? words[3] : undefined;
      listeners.get(words[2] ?? '')?.({ subject: words[1] ?? '', reply, body });
    } else if (words[0] === 'PING') socket.write('PONG\r\n');
    else if (words[0] === 'PONG') waiting.shift()?.resolve();
    else if (words[0] === '-ERR') refused.push(line.slice(5));
    unread = unread.subarray(next);
    return true;
  }
  const fail = () => {
    const error = new Error(`the connection to NATS is gone: ${refused.at(-1) ?? 'no reason was given'}`);
    for (const one of waiting.splice(0)) one.reject(error);
  };
  socket.on('data', (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    while (readOne());
  });
  socket.on('error', () => {});
  socket.on('close', fail);
  socket.setNoDelay(true);

  function flush(): Promise<void> {
    const answered = Promise.withResolvers<void>();
    waiting.push(answered);
    const timer = setTimeout(() => answered.reject(new Error('NATS did not answer in time')), answerMs);
    socket.write('PING\r\n');
    if (socket.destroyed) fail();
    return answered.promise.finally(() => clearTimeout(timer));
  }
  const hello = {
    verbose: false,
    pedantic: false,
    tls_required: false,
    lang: 'raw',
    version: '0',
    user,
    pass: password,
  };
  socket.write(`CONNECT ${JSON.stringify(hello)}\r\n`);
  await flush();

  const bus: RawBus = {
    publish(subject, body, reply) {
      const bytes = Buffer.from(body);
      socket.write(`PUB ${[subject, ...(reply ? [reply] : []), bytes.length].join(' ')}\r\n`);
      socket.write(bytes);
      socket.write('\r\n');
    },
    subscribe(subject, onMessage, queue) {
      const id = String(listeners.size + 1);
      listeners.set(id, onMessage);
      socket.write(`SUB ${[subject, ...(queue ? [queue] : []), id].join(' ')}\r\n`);
    },
    flush,
    refused,
    close: () => socket.destroy(),
  };
  return bus;
}
