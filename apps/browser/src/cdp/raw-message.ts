// What can be told of a message of Chromium by its bytes alone: whose it is. Large answers are passed on as they came, so
// this must never take one apart. Chromium writes the id or the method first and the session last.

const idHead = Buffer.from('{"id":');
const methodHead = Buffer.from('{"method":"');
const sessionKey = Buffer.from(',"sessionId":"');
const tail = Buffer.from('"}');
/** Chromium's own are 32 characters. */
const maxSessionLength = 64;

/** Of the command that it answers; undefined for an event. */
export function idOf(message: Buffer): number | undefined {
  if (!startsWith(message, idHead)) return undefined;
  const text = message.toString('latin1', idHead.length, idHead.length + 16);
  const id = Number.parseInt(text, 10);
  return Number.isNaN(id) ? undefined : id;
}

/** Of an event; undefined for an answer. */
export function methodOf(message: Buffer): string | undefined {
  if (!startsWith(message, methodHead)) return undefined;
  const end = message.indexOf('"', methodHead.length);
  return end === -1 ? undefined : message.toString('latin1', methodHead.length, end);
}

/**
 * The session that it belongs to; undefined for that of the pipe itself. The last brace closes the message, so a text just
 * before it is a value of the message itself, never one that a page has chosen.
 */
export function sessionOf(message: Buffer): string | undefined {
  const at = sessionAt(message);
  return at === -1 ? undefined : message.toString('latin1', at + sessionKey.length, message.length - tail.length);
}

/** The same answer with another id, and without its session where that is the client's own. */
export function readdress(message: Buffer, id: number, { keepsSession }: { keepsSession: boolean }): string {
  const from = message.indexOf(',', idHead.length);
  const at = keepsSession ? -1 : sessionAt(message);
  const rest = at === -1 ? message.toString('utf8', from) : `${message.toString('utf8', from, at)}}`;
  return `{"id":${id}${rest}`;
}

/** The same event without its session. */
export function withoutSession(message: Buffer): string {
  const at = sessionAt(message);
  return at === -1 ? message.toString() : `${message.toString('utf8', 0, at)}}`;
}

function sessionAt(message: Buffer): number {
  const end = message.length - tail.length;
  if (end < 0 || message.compare(tail, 0, tail.length, end) !== 0) return -1;
  const from = Math.max(0, end - maxSessionLength - sessionKey.length);
  const found = message.subarray(from, end).lastIndexOf(sessionKey);
  if (found === -1) return -1;
  const value = message.toString('latin1', from + found + sessionKey.length, end);
  return /^[\w-]+$/.test(value) ? from + found : -1;
}

const startsWith = (message: Buffer, head: Buffer): boolean =>
  message.length > head.length && message.compare(head, 0, head.length, 0, head.length) === 0;
