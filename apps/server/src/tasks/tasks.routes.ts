import { routes } from '@pilothouse/contract';
import { Answer, type Serve } from '../http/serve.ts';
import type { TasksService } from './tasks.service.ts';

export function tasksRoutes(serve: Serve, tasks: TasksService) {
  serve(routes.getTaskStatus, ({ caller, params }) => tasks.status(caller, params.id));

  serve(routes.getObservationImage, async ({ caller, params }) => {
    const { bytes, contentType } = await tasks.image(caller, params.id, params.observation_id);
    return new Answer(200, bytes, contentType);
  });

  for (const route of [routes.followTask, routes.followTaskStream]) {
    serve.stream(route, async ({ caller, params, query, headers }) => {
      const follow = await tasks.follow(caller, params.id, headers['last-event-id'] ?? query.cursor);
      return (_call, stream) => follow(stream);
    });
  }
}
