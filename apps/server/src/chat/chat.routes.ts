import { routes } from '@pilothouse/contract';
import { Answer, type Serve } from '../http/serve.ts';
import type { ChatService } from './chat.service.ts';

export function chatRoutes(serve: Serve, chat: ChatService) {
  serve(routes.sendChat, async ({ caller, body }) =>
    body.execute ? new Answer(202, await chat.start(caller, body)) : new Answer(200, chat.plan(body)),
  );
}
