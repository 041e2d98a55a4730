import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { SessionsService } from './sessions.service.ts';

export function sessionsRoutes(serve: Serve, sessions: SessionsService) {
  serve(routes.listSessions, ({ caller, query }) => sessions.list(caller, query));
  serve(routes.createSession, ({ caller, body }) => sessions.create(caller, body));
}
