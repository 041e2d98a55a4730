// The routes that show and follow the progress of a task.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { TasksService } from './tasks.service.ts';

export function tasksRoutes(serve: Serve, tasks: TasksService) {
  serve(routes.getTaskStatus, ({ caller, params }) => tasks.status(caller, params.id));

  for (const route of [routes.followTask, routes.followTaskStream]) {
    serve.stream(route, async ({ caller, params, query, headers }) => {
      const follow = await tasks.follow(caller, params.id, headers['last-event-id'] ?? query.cursor);
      return (_call, stream) => follow(stream);
    });
  }
}
