// What a model decided for a task, and what it was shown of the page. Texts of pages leave as they were stored: secrets are dots.

import { AppError, ImageType, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, DecisionViewRow, Store } from '@pilothouse/store';
import { blobOf } from '../http/embedded.ts';
import { viewDecision, viewDecisionView } from './tasks.view.ts';
import type { RequireTask } from './visible-task.ts';

type Routes = typeof routes;
type Options = { store: Store; requireTask: RequireTask };

const numberPattern = /^[1-9]\d{0,8}$/;
const noDecision = 'The task has no decision of this number, or its decisions were removed.';
const noPicture = 'No picture was sent with this page.';

export function createTaskDecisions({ store, requireTask }: Options) {
  async function requireView(
    caller: Caller,
    id: string,
    number: string,
  ): Promise<DecisionViewRow & { taskId: string }> {
    const task = await requireTask(caller, id);
    const row = numberPattern.test(number) ? await store.decisions.viewOf(task.id, Number(number)) : undefined;
    if (!row) throw new AppError('not_found', { detail: noDecision });
    return { ...row, taskId: task.id };
  }

  return {
    async list(
      caller: Caller,
      id: string,
      query: QueryOf<Routes['listDecisions']>,
    ): Promise<ReplyOf<Routes['listDecisions']>> {
      const task = await requireTask(caller, id);
      const { rows, nextCursor } = await store.decisions.listOf(task.id, query);
      return { success: true, decisions: rows.map(viewDecision), next_cursor: nextCursor };
    },

    async view(caller: Caller, id: string, number: string): Promise<ReplyOf<Routes['getDecisionView']>> {
      const { taskId, ...row } = await requireView(caller, id, number);
      return { success: true, view: viewDecisionView(taskId, row) };
    },

    async picture(caller: Caller, id: string, number: string) {
      const { picture_key, picture_type } = await requireView(caller, id, number);
      const type = ImageType.safeParse(picture_type);
      if (!picture_key || !type.success) throw new AppError('not_found', { detail: noPicture });
      const bytes = await blobOf(store.blobs, picture_key);
      if (!bytes) throw new AppError('gone');
      return { bytes, contentType: type.data };
    },
  };
}
export type TaskDecisions = ReturnType<typeof createTaskDecisions>;
