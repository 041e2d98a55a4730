import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { SessionsService } from './sessions.service.ts';

export function sessionsRoutes(serve: Serve, sessions: SessionsService) {
  serve(routes.listSessions, ({ caller, query }) => sessions.list(caller, query));
  serve(routes.createSession, ({ caller, body }) => sessions.create(caller, body));
  serve(routes.getSession, ({ caller, params }) => sessions.detail(caller, params.id));
  serve.stream(routes.followSession, async ({ caller, params, query, headers }) => {
    const follow = await sessions.follow(caller, params.id, headers['last-event-id'] ?? query.cursor);
    return (_call, stream) => follow(stream);
  });
}
