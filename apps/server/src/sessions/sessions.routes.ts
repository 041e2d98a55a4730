// The routes that make, list, show and follow sessions.

import { routes } from '@pilothouse/contract';
import { Answer, BytesAnswer } from '../http/answer.ts';
import type { Serve } from '../http/serve.ts';
import type { PageViews } from './page-view.service.ts';
import type { FollowSession } from './session-stream.ts';
import type { SessionsService } from './sessions.service.ts';

type Parts = { sessions: SessionsService; viewPage: PageViews; follow: FollowSession };

export function sessionsRoutes(serve: Serve, { sessions, viewPage, follow }: Parts) {
  serve(routes.listSessions, ({ caller, query }) => sessions.list(caller, query));
  serve(routes.createSession, ({ caller, body }) => sessions.create(caller, body));
  serve(routes.getSession, async ({ caller, params, counted }) => {
    // Before the picture is asked for.
    counted.check();
    const { reply, pictures } = await sessions.detail(caller, params.id);
    return new Answer(200, reply, pictures);
  });
  serve(routes.getPageView, ({ caller, params, query }) => viewPage(caller, params.id, query));
  serve(routes.updateSession, ({ caller, params, body }) => sessions.update(caller, params.id, body));
  serve(routes.getThumbnail, async ({ caller, params }) => {
    const { bytes, contentType, etag } = await sessions.thumbnail(caller, params.id);
    return new BytesAnswer(bytes, contentType, { etag });
  });
  serve.stream(routes.followSession, async ({ caller, params, query, headers }) => {
    const write = await follow(caller, params.id, headers['last-event-id'] ?? query.cursor);
    return (_call, stream) => write(stream);
  });
}
