// The routes of takeovers, of sessions and of tasks, and of the input of a person who drives.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { PointerService } from './pointer.service.ts';
import type { SessionTakeovers } from './session-takeover.service.ts';
import type { TaskTakeovers } from './task-takeover.service.ts';

type Services = { ofSessions: SessionTakeovers; ofTasks: TaskTakeovers; pointer: PointerService };

export function takeoverRoutes(serve: Serve, { ofSessions, ofTasks, pointer }: Services) {
  serve(routes.requestSessionTakeover, ({ caller, params, body, from }) =>
    ofSessions.request(caller, params.id, body, from),
  );
  serve(routes.resumeSessionTakeover, ({ caller, params, body, from }) =>
    ofSessions.resume(caller, params.id, body, from),
  );
  serve(routes.setTakeoverClient, ({ caller, params, body }) => ofSessions.setClient(caller, params.id, body));
  serve(routes.renewTakeover, ({ caller, params, body }) => ofSessions.renew(caller, params.id, body));
  serve(routes.movePointer, ({ caller, params, body, from }) => pointer.move(caller, params.id, body, from));
  serve(routes.requestTakeover, ({ caller, params, body, from }) => ofTasks.request(caller, params.id, body, from));
  serve(routes.resumeTakeover, ({ caller, params, body, from }) => ofTasks.resume(caller, params.id, body, from));
}
