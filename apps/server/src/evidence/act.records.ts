// Records of acts: each attempt at a step, with the pictures that were kept of the page before and after it.

import type { Plan } from '@pilothouse/contract';
import { attemptOf, type KeptFrame, type StepRow, stepIdOf } from '@pilothouse/store';
import { inPages, pageRows, type RecordKind, type Source, type StoredPicture } from './drafts.ts';

const framesAtOnce = 200;

export const actRecords: RecordKind = async function* (source) {
  const { task } = source;
  const { steps } = task.plan as Plan;
  const frames = createFrameWalk(source);
  for await (const { row, next } of withNext(attemptsOf(source))) {
    const step = steps[row.index - 1] ?? null;
    const before = await frames.lastUntil(row.intent_at);
    const after = await frames.firstAfter(row, next?.intent_at);
    const said = attemptOf(row, step ?? { action: 'wait', for: { secs: 0 } });
    yield {
      kind: 'act',
      at: row.intent_at,
      body: {
        ...said,
        // A step that the plan had no more when it was read.
        ...(step === null && { title: '', action: 'unknown' }),
        execution_id: row.execution_id,
        step,
        may_have_acted: row.may_have_acted,
      },
      pictures: { before, after },
    };
  }
};

async function* attemptsOf({ store, task }: Source): AsyncGenerator<StepRow> {
  const pages = inPages<StepRow>((last) => store.evidence.attempts(task.id, last ?? { index: 0, try: 0 }, pageRows));
  for await (const rows of pages) yield* rows;
}

/** Each item with the one after it. */
async function* withNext<Row>(rows: AsyncIterable<Row>): AsyncGenerator<{ row: Row; next: Row | undefined }> {
  let row: Row | undefined;
  for await (const next of rows) {
    if (row !== undefined) yield { row, next };
    row = next;
  }
  if (row !== undefined) yield { row, next: undefined };
}

/** Goes through the pictures of a task once, beside its acts, which are in the same order of time. */
function createFrameWalk({ store, task }: Source) {
  let page: KeptFrame[] = [];
  let isLastPage = false;
  let passed: KeptFrame | undefined;

  async function peek(): Promise<KeptFrame | undefined> {
    if (page.length === 0 && !isLastPage) {
      const after = passed ?? { seq: task.first_seq - 1, id: 0 };
      page = await store.evidence.frames(task, after, framesAtOnce);
      isLastPage = page.length < framesAtOnce;
    }
    return page[0];
  }
  /** Passes the pictures until a time, and calls with each. */
  async function pass(until: Date | undefined, see: (frame: KeptFrame) => void): Promise<void> {
    for (let frame = await peek(); frame && (!until || frame.recorded_at <= until); frame = await peek()) {
      page.shift();
      passed = frame;
      see(frame);
    }
  }

  return {
    async lastUntil(time: Date): Promise<StoredPicture | null> {
      await pass(time, () => {});
      return passed ? pictureOf(passed) : null;
    },

    /** The picture that was taken for the step, or else the first after its end, before the next attempt begins. */
    async firstAfter({ index, effect_at }: StepRow, next: Date | undefined): Promise<StoredPicture | null> {
      const found: { own?: KeptFrame; later?: KeptFrame } = {};
      await pass(next, (frame) => {
        if (frame.step_id === stepIdOf(index)) found.own = frame;
        else if (effect_at && frame.recorded_at >= effect_at) found.later ??= frame;
      });
      const frame = found.own ?? found.later;
      return frame ? pictureOf(frame) : null;
    },
  };
}

const pictureOf = ({ blob_key, content_type, recorded_at, private: isPrivate }: KeptFrame): StoredPicture => ({
  blobKey: blob_key,
  contentType: content_type,
  recordedAt: recorded_at,
  isPrivate,
});
