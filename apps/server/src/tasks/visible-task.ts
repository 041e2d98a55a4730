// A task that a caller may see. Reads by admins are written to the audit.

import { AppError, isId } from '@pilothouse/contract';
import type { Caller, Store, TaskRow } from '@pilothouse/store';
import { auditForeignRead } from '../auth/admin-reads.ts';

export function createVisibleTask(store: Store) {
  return async (caller: Caller, id: string): Promise<TaskRow> => {
    const task = isId(id) ? await store.tasks.visibleTo(caller, id) : undefined;
    if (!task) throw new AppError('not_found');
    await auditForeignRead(store, caller, task.created_by, { task_id: task.id });
    return task;
  };
}
export type RequireTask = ReturnType<typeof createVisibleTask>;
