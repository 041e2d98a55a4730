// The routes by which a person cancels a task, answers its question, writes to it, or interrupts it.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { TaskCommands } from './commands.service.ts';
import type { TaskMessages } from './messages.service.ts';

export function taskCommandRoutes(serve: Serve, commands: TaskCommands, messages: TaskMessages) {
  serve(routes.cancelTask, ({ caller, params, body }) => commands.cancel(caller, params.id, body));
  serve(routes.sendTaskMessage, ({ caller, params, body }) => messages.send(caller, params.id, body));
  serve(routes.signalTakeover, ({ caller, params, body, from }) => commands.act(caller, params.id, body, from));
}
