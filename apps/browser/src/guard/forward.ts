// Plain http through the guard: the request goes on as it came, but for what only concerns the hop to us.

import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dial } from './dial.ts';
import type { Target } from './rules/domains.ts';
import type { Throttle } from './throttle.ts';

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

export const maxHeaderBytes = 64 * 1024;

export type Forward = {
  /** Resolves when the answer is begun; rejects if there is none, with nothing said to the client yet. */
  send(request: IncomingMessage, response: ServerResponse, target: Target, path: string): Promise<void>;
  close(): void;
};

type Options = { dial: Dial; passOn: Throttle; idleMs: number; keepMs: number; maxConnections: number };

export function createForward({ dial, passOn, idleMs, keepMs, maxConnections }: Options): Forward {
  const agent = new CheckedAgent(dial, { keepAlive: true, timeout: keepMs, maxTotalSockets: maxConnections });

  function attempt(request: IncomingMessage, response: ServerResponse, target: Target, path: string): Attempt {
    const outgoing = sendRequest({
      agent,
      host: target.host,
      port: target.port,
      method: request.method ?? 'GET',
      path,
      headers: requestHeaders(request, target),
      maxHeaderSize: maxHeaderBytes,
      setDefaultHeaders: false,
    });
    outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error('the site said nothing for too long')));
    // The client has gone.
    response.once('close', () => outgoing.destroy());
    const answered = new Promise<void>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('the site speaks of another protocol'));
      });
      outgoing.once('response', (answer) => {
        try {
          response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders).flat());
        } catch (error) {
          // Read from the site, and yet nothing that may be written.
          outgoing.destroy();
          return reject(error);
        }
        // An answer cut short must not look like a whole one.
        answer.on('error', () => response.destroy());
        passOn(answer, response);
        resolve();
      });
    });
    return { outgoing, answered };
  }

  return {
    async send(request, response, target, path) {
      response.sendDate = false;
      if (hasBody(request)) {
        const { outgoing, answered } = attempt(request, response, target, path);
        passOn(request, outgoing);
        return answered;
      }
      const first = attempt(request, response, target, path);
      first.outgoing.end();
      return first.answered.catch((error) => {
        // Kept open for the next request, and closed by the site just as it came: not an answer, so ask again.
        if (!first.outgoing.reusedSocket || response.destroyed || !canRepeat(request) || !wasCut(error)) throw error;
        const second = attempt(request, response, target, path);
        second.outgoing.end();
        return second.answered;
      });
    },
    close: () => agent.destroy(),
  };
}

type Attempt = { outgoing: ClientRequest; answered: Promise<void> };

/** Connects by our own way only. Connections are shared by requests to the same host and port, nothing else. */
class CheckedAgent extends Agent {
  readonly #dial: Dial;
  constructor(dial: Dial, options: ConstructorParameters<typeof Agent>[0]) {
    super(options);
    this.#dial = dial;
  }
  override createConnection(
    { host, port }: { host?: string | null; port?: number | string | null },
    done: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    // The declared type wants a stream also with an error; Node looks at the error first.
    const fail = done as (error: Error) => void;
    this.#dial({ host: host ?? '', port: Number(port) }).then((socket) => done(null, socket), fail);
  }
}

/** Asking again for anything else might do it twice: the site may have done it and gone before it could say so. */
const canRepeat = ({ method = 'GET' }: IncomingMessage) => ['GET', 'HEAD', 'OPTIONS'].includes(method);
const wasCut = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function requestHeaders(request: IncomingMessage, { host, port }: Target): string[] {
  const kept = endToEnd(request.rawHeaders).filter(([name]) => name.toLowerCase() !== 'host');
  const name = host.includes(':') ? `[${host}]` : host;
  // What the site is told of where the request goes is where it goes.
  const headers = [['Host', port === 80 ? name : `${name}:${port}`], ...kept, ['Connection', 'keep-alive']];
  // The length of a body was said by the hop; without this a body would be read as the next request.
  if (request.headers['transfer-encoding'] !== undefined) headers.push(['Transfer-Encoding', 'chunked']);
  return headers.flat();
}

function endToEnd(raw: readonly string[]): [string, string][] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, i): [string, string] => [
    raw[2 * i] ?? '',
    raw[2 * i + 1] ?? '',
  ]);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  return pairs.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}
