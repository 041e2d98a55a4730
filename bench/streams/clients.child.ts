// Many who follow streams, over bare sockets so that they cost little: counts the events that come, and says when each
// of them came where it is asked to.
import { connect, type Socket } from 'node:net';

export type ClientsOrder =
  | { type: 'open'; port: number; paths: string[]; isStuck?: boolean }
  | { type: 'count' }
  | { type: 'close' };
/** `delays`: from when an event says it was sent to its arrival, since the last time they were asked for. */
export type ClientsReply = { open: number; events: number; delays: number[] };

const sockets = new Set<Socket>();
let events = 0;
let delays: number[] = [];
const atOnce = 200;
/** Where an event carries when it was sent. */
const mark = 'sent_at=';

function open(port: number, path: string, isStuck: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.add(socket);
    let rest = '';
    socket.setEncoding('latin1');
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`));
    socket.once('data', (head: string) => {
      if (!head.startsWith('HTTP/1.1 200')) reject(new Error(`${path}: ${head.slice(0, 300)}`));
      // It goes on being there, and reads nothing more.
      if (isStuck) socket.pause();
      resolve();
    });
    socket.on('data', (text: string) => {
      const messages = (rest + text).split('\n\n');
      rest = messages.pop() ?? '';
      for (const one of messages) note(one);
    });
    socket.on('error', reject);
    socket.on('close', () => sockets.delete(socket));
  });
}

function note(message: string): void {
  if (!message.includes('event: ')) return;
  events += 1;
  const at = message.lastIndexOf(mark);
  if (at >= 0) delays.push(Date.now() - Number.parseInt(message.slice(at + mark.length, at + mark.length + 15), 10));
}

async function obey(order: ClientsOrder): Promise<void> {
  if (order.type === 'open') {
    const left = [...order.paths];
    const next = async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop())
        await open(order.port, path, order.isStuck ?? false);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  }
  if (order.type === 'close') for (const socket of sockets) socket.destroy();
  const reply: ClientsReply = { open: sockets.size, events, delays };
  delays = [];
  process.send?.(reply);
}
process.on('message', (order: ClientsOrder) => void obey(order));
process.on('disconnect', () => process.exit());
process.send?.({ open: 0, events: 0, delays: [] } satisfies ClientsReply);
