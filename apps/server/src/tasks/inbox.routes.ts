// The routes that list and follow what waits for a person.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { InboxService } from './inbox.service.ts';

export function inboxRoutes(serve: Serve, inbox: InboxService) {
  serve(routes.listInbox, ({ caller, query }) => inbox.list(caller, query));

  serve.stream(routes.followInbox, async ({ caller, query, headers }) => {
    const follow = await inbox.follow(caller, headers['last-event-id'] ?? query.cursor);
    return (_call, stream) => follow(stream);
  });
}
