// Writes the steps of a task: the intent before the act, its effect with the evidence in one transaction after it.

import type { Acted } from '@pilothouse/bus';
import type { LogLevel } from '@pilothouse/contract';
import { newId, type StepRow, type Store } from '@pilothouse/store';
import type { BrowserHandle } from '../browsers/handle.ts';
import { policyOf } from './approvals.ts';
import type { Attempts, Effect } from './attempts.ts';
import { createDecisionEnds } from './decisions.ts';
import { createEvidence, type Evidence, FileQuotaExceeded } from './evidence.ts';
import type { HeldTask } from './held-task.ts';
import { TaskNotHeld, type Turn } from './turn.ts';

type Options = { store: Store; heldTask: HeldTask; attempts: Attempts; fileBytesPerUser: number };
/** `yes`: what a person said yes to, once or for the kind of act. */
type Intent = { open?: StepRow; yes?: { id: string; isOnce: boolean } };
/** With `cut`, why the other steps of the decision must not run. */
type DoneStep = { acted: Acted; image: Uint8Array; file: Evidence['file']; cut?: string };

export function createStepLedger({ store, heldTask, attempts, fileBytesPerUser }: Options) {
  const { changing, hold, say } = heldTask;
  const { begin, end } = attempts;
  const { leaveDecision, cutHeld } = createDecisionEnds(store);
  const evidence = createEvidence(store, { fileBytesPerUser });

  return {
    /** Begins an attempt, before the host is asked. An open attempt is continued as it is. */
    intend: (turn: Turn, { hostId, epoch }: BrowserHandle, { open, yes }: Intent = {}): Promise<StepRow> =>
      changing(turn, async (tx, append) => {
        if (open) {
          await hold(tx, turn, hostId);
          return open;
        }
        // A yes is used up with the intent: an agent that is lost from here on cannot use it again.
        const isUsable = yes?.isOnce ? await store.approvals.use(tx, { id: yes.id, taskId: turn.task.id }) : true;
        return begin(tx, append, turn, { epoch, hostId, ...(yes && isUsable && { approvalId: yes.id }) });
      }),

    /** The same for a long wait for the clock: other sessions may have the browser meanwhile. */
    intendLongWait: (turn: Turn, { hostId, epoch }: BrowserHandle, ms: number): Promise<StepRow> =>
      changing(turn, async (tx, append) => {
        const attempt = await begin(tx, append, turn, { epoch, hostId });
        await store.browserTurns.sleep(tx, turn.task.id, ms);
        return attempt;
      }),

    /** The host has done it. Throws FileQuotaExceeded where the file exceeds the quota; then nothing is written. */
    async succeed(turn: Turn, attempt: StepRow, done: DoneStep) {
      const { acted, image, file, cut } = done;
      // Before the transaction: bytes without a row do no harm, a row without bytes would.
      const picture = await storePicture(store, turn, acted, image);
      const { task, step } = turn;
      const written = changing(turn, async (tx, append) => {
        await end(tx, append, turn, attempt, effectOf(acted));
        await evidence.add(tx, append, { task, attempt, step }, { acted, picture, file });
        if (acted.state) await store.browsers.saveState(tx, task.session_id, attempt.epoch, acted.state);
        await leaveDecision(tx, turn, cut);
      });
      await written.catch(async (error) => {
        // These errors rolled the transaction back, so no row points to the bytes. After others, it may have committed.
        if (error instanceof TaskNotHeld || error instanceof FileQuotaExceeded) {
          for (const put of [picture, file]) if (put) await store.blobs.removeAll(put.blobKey);
        }
        throw error;
      });
    },

    /** Done by the word of a person or by the clock, without an answer of the host. */
    succeedWithoutBrowser: (turn: Turn, open: StepRow | undefined, note?: string) =>
      changing(turn, async (tx, append) => {
        const attempt = open ?? (await begin(tx, append, turn, { epoch: turn.attempts.at(-1)?.epoch ?? 0 }));
        if (note) await say(append, turn, note);
        await end(tx, append, turn, attempt, { status: 'success' });
        await leaveDecision(tx, turn);
      }),

    /** The attempt failed or was interrupted. With `cut`, the decision that it belongs to ends with it. */
    fail: (turn: Turn, attempt: StepRow, effect: Effect & { status: 'failed' | 'interrupted' }, cut?: string) =>
      changing(turn, async (tx, append) => {
        await end(tx, append, turn, attempt, effect);
        if (cut !== undefined && turn.decision) await cutHeld(tx, turn, turn.decision, cut);
      }),

    /** The browser was lost before the step could begin: an attempt that counts, and has done nothing. */
    interruptBefore: (turn: Turn, { hostId, epoch }: BrowserHandle, error: string) =>
      changing(turn, async (tx, append) => {
        const attempt = await begin(tx, append, turn, { epoch, hostId });
        await end(tx, append, turn, attempt, { status: 'interrupted', error });
      }),

    note: (turn: Turn, message: string, level: LogLevel = 'info') =>
      changing(turn, async (tx, append) => {
        await hold(tx, turn);
        await say(append, turn, message, level);
      }),
  };
}

const effectOf = ({ wait_ms: waitMs, run_ms: runMs, verdict }: Acted): Effect => ({
  ...{ status: 'success', waitMs, runMs },
  ...(verdict && { policy: policyOf(verdict) }),
});

async function storePicture(
  { blobs }: Store,
  { task }: Turn,
  acted: Acted,
  image: Uint8Array,
): Promise<Evidence['picture']> {
  if (!acted.picture) return null;
  const id = newId();
  const blobKey = `sessions/${task.session_id}/${id}.${acted.picture.content_type.slice('image/'.length)}`;
  await blobs.put(blobKey, image);
  return { id, blobKey, byteLen: image.length };
}
