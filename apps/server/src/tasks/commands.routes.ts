// The routes by which a person cancels a task, answers its question, or interrupts it.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { TaskCommands } from './commands.service.ts';

export function taskCommandRoutes(serve: Serve, commands: TaskCommands) {
  serve(routes.cancelTask, ({ caller, params, body }) => commands.cancel(caller, params.id, body));
  serve(routes.signalTakeover, ({ caller, params, body, from }) => commands.act(caller, params.id, body, from));
}
