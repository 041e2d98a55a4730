// A plain http request to the guard: judged by itself, then sent on.

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Admission } from './admission.ts';
import { RefusedError } from './dial.ts';
import { type AnswerFor, headersOf } from './error-answers.ts';
import type { Forward } from './forward.ts';
import type { OpenTargets } from './open-targets.ts';
import { type RefusalReason, type Target, targetOf } from './rules/domains.ts';

type Options = { admission: Admission; openTargets: OpenTargets; forward: Forward; answerFor: AnswerFor };

export function createAnswerRequest({ admission, openTargets, forward, answerFor }: Options) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!(await admission.isOurs(request.socket))) return void request.socket.destroy();
    // A client that has gone meanwhile must not count as open.
    if (response.destroyed) return;
    const { target, path, reason } = readRequestLine(request.url ?? '');
    try {
      // Judged for every request: the connection it travels on may be older than the lists.
      const refused = reason ?? (target && openTargets.policy().judgeName(target));
      if (!target || refused) throw new RefusedError(refused ?? 'malformed');
      response.once(
        'close',
        openTargets.add(target, () => response.destroy()),
      );
      await forward.send(request, response, target, path);
    } catch (error) {
      // An answer that has begun cannot be taken back.
      if (response.headersSent) return void response.destroy();
      const answer = answerFor(error, 'request', target);
      // With the status text: one that the site gave may still be set, and may be what cannot be sent.
      response.writeHead(answer.status, STATUS_CODES[answer.status], headersOf(answer)).end(answer.text);
    }
  };
}

/** `http://host:port/path`. Not read as an URL and written again: the site gets what the browser sent. */
function readRequestLine(line: string): { target?: Target; path: string; reason?: RefusalReason } {
  const [, scheme, authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i.exec(line) ?? [];
  if (scheme?.toLowerCase() !== 'http') return { path: '', reason: 'scheme' };
  const target = targetOf(/:\d+$/.test(authority) ? authority : `${authority}:80`);
  return { ...(target && { target }), path: rest.startsWith('/') ? rest : `/${rest}` };
}
