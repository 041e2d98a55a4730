import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { TaskCommands } from './commands.service.ts';

export function taskCommandRoutes(serve: Serve, commands: TaskCommands) {
  serve(routes.cancelTask, ({ caller, params, body }) => commands.cancel(caller, params.id, body));
  serve(routes.signalTakeover, ({ caller, params, body }) => commands.answer(caller, params.id, body));
}
