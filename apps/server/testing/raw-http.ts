// Sends raw bytes to a server, and reads its answers.

import { connect } from 'node:net';

export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/**
 * Reads every answer until the server closes. `halfClose` ends our side: a server that waits for the rest learns that
 * there is none, but need not answer any more. An event stream never ends by itself: it is read until it begins.
 */
export function sendRaw(port: number, bytes: Buffer, { halfClose }: { halfClose: boolean }): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end of the answer to ${JSON.stringify(bytes.subarray(0, 200).toString('latin1'))}`));
    }, 10_000);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isStream(chunks)) socket.destroy();
    });
    // The server may reset after its answer: it does not read the rest of a refused request.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(late);
      try {
        resolve(parseAnswers(Buffer.concat(chunks).toString('latin1')));
      } catch (error) {
        reject(error);
      }
    });
    socket.on('end', () => socket.destroy());
    if (halfClose) socket.end(bytes);
    else socket.write(bytes);
  });
}

const isStream = ([first]: Buffer[]) => /^content-type: text\/event-stream/im.test(first?.toString('latin1') ?? '');

/** How long the chunks are with their frames, up to the empty one. */
function chunkedLengthOf(text: string): number {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, end), 16);
    if (end < 0 || Number.isNaN(size)) throw new Error(`not a chunk: ${JSON.stringify(text.slice(at, at + 200))}`);
    at = end + 2 + size + 2;
    if (size === 0) return at;
  }
  return text.length;
}

function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest.length > 0) {
    const [head = '', ...others] = rest.split('\r\n\r\n');
    const [first = '', ...lines] = head.split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (!status) throw new Error(`not an answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const after = others.join('\r\n\r\n');
    if (headers.get('content-type')?.startsWith('text/event-stream'))
      return [...answers, { status, headers, body: after }];
    const length = Number(headers.get('content-length') ?? 0);
    const isChunked = headers.get('transfer-encoding') === 'chunked';
    // An answer to HEAD has a length and no body; then the next status line follows directly.
    const sent = after.startsWith('HTTP/1.1 ') ? 0 : isChunked ? chunkedLengthOf(after) : length;
    answers.push({ status, headers, body: after.slice(0, sent) });
    rest = after.slice(sent);
  }
  return answers;
}
