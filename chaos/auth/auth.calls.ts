import { Agent, request as httpRequest } from 'node:http';

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
};
type Options = { token?: string; headers?: Record<string, string> };

/** Many connections, kept: the load is to meet the server and not the sockets. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** One call over plain HTTP, without anything an SDK would do on top. */
export function call(
  method: string,
  url: string,
  body?: object,
  { token, headers = {} }: Options = {},
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, {
      method,
      agent,
      timeout: 60_000,
      headers: {
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const received = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: received ? JSON.parse(received) : {},
        });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer from ${url}`)));
    sent.on('error', reject);
    sent.end(text);
  });
}

/** Opens a stream and says when the server has ended it. */
export function openStream(url: string, token: string): Promise<{ ended: Promise<number> }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream answered ${response.statusCode}`));
      const ended = new Promise<number>((done) => {
        for (const event of ['end', 'close', 'error']) response.once(event, () => done(performance.now()));
      });
      response.resume();
      resolve({ ended });
    });
    sent.end();
  });
}

export const closeCalls = () => agent.destroy();
