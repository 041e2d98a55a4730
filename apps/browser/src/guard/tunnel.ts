// CONNECT through the guard (https, ws, wss). No byte goes either way before the target is judged and the client is known
// to be our own browser.

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Admission } from './admission.ts';
import { type Dial, RefusedError } from './dial.ts';
import { type AnswerFor, type ErrorAnswer, headersOf } from './error-answers.ts';
import type { OpenTargets } from './open-targets.ts';
import { type Target, targetOf } from './rules/domains.ts';
import type { Throttle } from './throttle.ts';

export type OpenTunnel = (request: IncomingMessage, client: Duplex, head: Buffer) => Promise<void>;

type Options = {
  admission: Admission;
  openTargets: OpenTargets;
  dial: Dial;
  passOn: Throttle;
  answerFor: AnswerFor;
  idleMs: number;
};

export function createOpenTunnel(options: Options): OpenTunnel {
  const { admission, openTargets, dial, passOn, answerFor, idleMs } = options;

  function join(client: Duplex, site: Socket, target: Target, head: Buffer): void {
    const end = () => {
      client.destroy();
      site.destroy();
    };
    const remove = openTargets.add(target, end);
    site.setTimeout(idleMs, end).on('error', end);
    client.on('error', end).once('close', remove);
    // Where one side is done, its last bytes still reach the other.
    site.once('close', () => client.end(() => client.destroy()));
    client.once('close', () => site.end(() => site.destroy()));
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) site.write(head);
    passOn(site, client);
    passOn(client, site);
  }

  return async (request, client, head) => {
    client.on('error', () => client.destroy());
    const target = targetOf(request.url ?? '');
    try {
      if (!target) throw new RefusedError('malformed');
      // Both at once: to read the client's user takes milliseconds on a busy machine. A stranger makes us connect to
      // where it could connect itself, and then not a byte goes either way.
      const [site, isOurs] = await Promise.all([dial(target), admission.isOurs(client)]);
      // The lists may have changed meanwhile.
      const refused = openTargets.policy().judgeName(target);
      if (client.destroyed || !isOurs || refused) site.destroy();
      if (refused) throw new RefusedError(refused);
      if (!isOurs) return void client.destroy();
      if (!client.destroyed) join(client, site, target, head);
    } catch (error) {
      if (!(await admission.isOurs(client))) return void client.destroy();
      client.end(rawAnswer(answerFor(error, 'tunnel', target)));
    }
  };
}

function rawAnswer(answer: ErrorAnswer): string {
  const headers = Object.entries({ ...headersOf(answer), connection: 'close' });
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${answer.text}`;
}
