// Builds the services of tasks, and serves their routes.

import type { Policy } from '@pilothouse/contract';
import type { Store } from '@pilothouse/store';
import type { Serve } from '../http/serve.ts';
import type { EventHub } from '../live/event-hub.ts';
import type { InboxHub } from '../live/inbox-hub.ts';
import type { TaskTakeovers } from '../takeover/task-takeover.service.ts';
import { taskCommandRoutes } from './commands.routes.ts';
import { createTaskCommands, type OnCancelled } from './commands.service.ts';
import { createTaskDecisions } from './decisions.service.ts';
import { inboxRoutes } from './inbox.routes.ts';
import { createInboxService, type InboxService } from './inbox.service.ts';
import { createTaskMessages } from './messages.service.ts';
import { createTaskPictures } from './pictures.service.ts';
import { policyRoutes } from './policy.routes.ts';
import { createPolicyService } from './policy.service.ts';
import { taskReadRoutes } from './reads.routes.ts';
import { createTaskReads } from './reads.service.ts';
import { tasksRoutes } from './tasks.routes.ts';
import { createTasksService, type TasksService } from './tasks.service.ts';
import { createVisibleTask } from './visible-task.ts';

type Options = {
  store: Store;
  events: EventHub;
  inboxes: InboxHub;
  takeovers: TaskTakeovers;
  onCancelled: OnCancelled;
  installation: Policy;
};
type Follows = { task: TasksService['follow']; inbox: InboxService['follow'] };

/** Returns what follows a task and what follows an inbox, for responses that carry several streams. */
export function mountTasks(serve: Serve, options: Options): Follows {
  const { store, events, inboxes, takeovers, onCancelled } = options;
  const requireTask = createVisibleTask(store);
  const tasks = createTasksService({ store, events, requireTask });
  tasksRoutes(serve, tasks);
  const shown = { store, requireTask };
  taskReadRoutes(serve, {
    reads: createTaskReads(shown),
    decisions: createTaskDecisions(shown),
    pictures: createTaskPictures(shown),
  });
  const commands = createTaskCommands({ store, statusOf: tasks.status, takeovers, onCancelled });
  taskCommandRoutes(serve, commands, createTaskMessages({ store }));
  policyRoutes(serve, createPolicyService({ store, installation: options.installation }));
  const inbox = createInboxService({ store, inboxes });
  inboxRoutes(serve, inbox);
  return { task: tasks.follow, inbox: inbox.follow };
}
