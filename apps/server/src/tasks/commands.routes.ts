import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { TaskCommands } from './commands.service.ts';
import type { TaskTakeovers } from './takeover.service.ts';

export function taskCommandRoutes(serve: Serve, commands: TaskCommands, takeovers: TaskTakeovers) {
  serve(routes.cancelTask, ({ caller, params, body }) => commands.cancel(caller, params.id, body));
  serve(routes.signalTakeover, ({ caller, params, body, from }) => commands.act(caller, params.id, body, from));
  serve(routes.requestTakeover, ({ caller, params, body, from }) => takeovers.request(caller, params.id, body, from));
  serve(routes.resumeTakeover, ({ caller, params, body, from }) => takeovers.resume(caller, params.id, body, from));
}
