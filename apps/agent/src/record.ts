import type { Acted } from '@pilothouse/bus';
import type { Observation, Overlay, Step } from '@pilothouse/contract';
import {
  historyOf,
  ledgerLineOf,
  newId,
  progressOf,
  type StepRow,
  type Store,
  sessionStateOf,
  stepIdOf,
  type TaskRow,
  titleOf,
} from '@pilothouse/store';

type Options = { store: Store };
type Done = { task: TaskRow; line: StepRow; step: Step; acted: Acted; image: Uint8Array };

/** Writes down what came of a step: ledger, evidence, overlay and picture, in one transaction. */
export function createRecord({ store }: Options) {
  return {
    async success({ task, line, step, acted, image }: Done): Promise<boolean> {
      const { picture } = acted;
      if (!picture) throw new Error('a host answered without the picture it was asked for');
      const observationId = newId();
      const blobKey = `sessions/${task.session_id}/${observationId}.jpeg`;
      // Before the transaction: a picture that nobody points to does no harm, a pointer to nothing would.
      await store.blobs.put(blobKey, image);
      return store.change(task.session_id, async (tx, append) => {
        const ended = await store.steps.end(tx, line, {
          status: 'success',
          waitMs: acted.wait_ms,
          runMs: acted.run_ms,
        });
        const held = await store.tasks.setStep(
          tx,
          { id: task.id, executionId: line.execution_id },
          line.index,
          titleOf(step),
        );
        // Another agent has the task by now: nothing of this is ours to say.
        if (!ended || !held) throw new Replaced();
        const of = { taskId: task.id };
        const stepId = stepIdOf(line.index);
        await append({ ...of, kind: 'step', data: { step: ledgerLineOf(ended, step) } });
        const overlay = overlayOf(task, line, step, acted);
        await append({ ...of, kind: 'overlay', data: { overlay } });
        const { content_type, width, height, device_scale, route } = picture;
        const artifact = {
          content_type,
          byte_len: image.length,
          width,
          height,
          path: `/api/tasks/${task.id}/observations/${observationId}/image`,
        };
        const seen: Omit<Observation, 'seq' | 'recorded_at'> = {
          observation_id: observationId,
          task_id: task.id,
          step_id: stepId,
          kind: 'screenshot',
          url: acted.after.url,
          title: acted.after.title,
          summary: titleOf(step),
          data: null,
          artifact,
        };
        const { seq, recordedAt } = await append({ ...of, kind: 'observation', data: { observation: seen } });
        await store.observations.add(tx, {
          id: observationId,
          task_id: task.id,
          step_id: stepId,
          seq,
          recorded_at: recordedAt,
          kind: 'screenshot',
          url: seen.url,
          title: seen.title,
          summary: seen.summary,
          blob_key: blobKey,
          content_type,
          byte_len: image.length,
          width,
          height,
        });
        await store.frames.put(tx, {
          session_id: task.session_id,
          frame_id: observationId,
          task_id: task.id,
          seq,
          recorded_at: recordedAt,
          content_type,
          width,
          height,
          device_scale,
          route: JSON.stringify(route),
          blob_key: blobKey,
        });
        if (acted.state) await store.browsers.saveState(tx, task.session_id, line.epoch, acted.state);
        if (acted.after.url !== acted.before.url) {
          await append({ ...of, kind: 'route', data: { route, pages: [route] } });
        }
        await append({ ...of, kind: 'agent_history', data: { agent_history: historyOf(ended, step) } });
        return true;
      });
    },

    /** A try that came to nothing. */
    async failure(
      task: TaskRow,
      { line, executionId }: { line: StepRow; executionId: string },
      step: Step,
      status: 'failed' | 'interrupted',
      error: string,
    ): Promise<void> {
      await store.change(task.session_id, async (tx, append) => {
        const held = await store.tasks.setStep(tx, { id: task.id, executionId }, line.index, titleOf(step));
        if (!held) throw new Replaced();
        const ended = await store.steps.end(tx, line, { status, error });
        if (!ended) return;
        const of = { taskId: task.id };
        await append({ ...of, kind: 'step', data: { step: ledgerLineOf(ended, step) } });
        await append({ ...of, kind: 'agent_history', data: { agent_history: historyOf(ended, step) } });
      });
    },

    /** The end of the task, and of the session's work where nothing else waits. */
    async end(task: TaskRow, executionId: string, move: 'finish' | 'fail', lastError?: string): Promise<void> {
      const result = move === 'finish' ? { summary: `Done: ${task.title}`, data: null, files: [] } : undefined;
      await store.change(task.session_id, async (tx, append) => {
        const ended = await store.tasks.move(tx, { id: task.id, executionId }, move, { result, lastError });
        if (!ended) return;
        if (result) await append({ taskId: task.id, kind: 'result', data: { result } });
        await append({ taskId: task.id, kind: 'status', data: { status: progressOf(ended) } });
        const isIdle = (await store.tasks.openInSession(tx, task.session_id)) === 0;
        const session = isIdle ? await store.sessions.move(tx, task.session_id, 'rest') : undefined;
        if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
      });
    },
  };
}
export type Record = ReturnType<typeof createRecord>;

/** This run no longer holds its task; its transaction is rolled back. */
export class Replaced extends Error {
  override name = 'Replaced';
}

function overlayOf(
  task: TaskRow,
  line: StepRow,
  step: Step,
  { bbox, point }: Acted,
): Omit<Overlay, 'seq' | 'recorded_at'> {
  const kinds = { navigate: 'navigate', click: 'click', type: 'type', scroll: 'scroll' } as const;
  return {
    overlay_id: newId(),
    session_id: task.session_id,
    task_id: task.id,
    step_id: stepIdOf(line.index),
    source: 'execution',
    kind: step.action in kinds ? kinds[step.action as keyof typeof kinds] : bbox ? 'box' : 'note',
    label: titleOf(step),
    bbox,
    point,
    data: {},
  };
}
