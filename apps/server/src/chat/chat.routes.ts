// The routes that begin a task.

import { routes } from '@pilothouse/contract';
import { Answer } from '../http/answer.ts';
import type { Serve } from '../http/serve.ts';
import type { ChatService } from './chat.service.ts';

export function chatRoutes(serve: Serve, chat: ChatService) {
  serve(routes.sendChat, async ({ caller, body, headers }) =>
    body.execute
      ? new Answer(202, await chat.start(caller, body, headers['idempotency-key']))
      : new Answer(200, await chat.plan(caller, body)),
  );
  serve(routes.rerunTask, ({ caller, params, headers }) => chat.rerun(caller, params.id, headers['idempotency-key']));
}
