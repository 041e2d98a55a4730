// The inputs of a person on their way to the browser: numbered, in order, sent again until answered, none done twice.

import type { PointerAction } from './api-types.ts';

export type SentAction = PointerAction & { takeover_id: string; input_seq?: number };

/** What became of a request. `again`: send the same numbers later. `sync`: ask which number was the last. */
export type SendFailure = 'again' | 'sync' | 'refused' | 'lost';

type Options = {
  /** Sends actions in order, and returns the number of the last one that is done. */
  send: (actions: SentAction[], signal: AbortSignal) => Promise<number>;
  classify: (error: unknown) => { failure: SendFailure; waitMs?: number };
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called when the count of waiting inputs changes, and after each answer. */
  onChange?: () => void;
  /** The server says that this person does not drive. */
  onLost?: () => void;
  /** An input that the browser refused for good. */
  onRefused?: (error: unknown) => void;
};

export type InputQueue = {
  /** Begins to count under this takeover and epoch; what waited under another is dropped. */
  attach(takeoverId: string, epoch: number): void;
  push(action: PointerAction): void;
  /** Only the newest position waits. */
  move(action: Extract<PointerAction, { action: 'move' }>): void;
  /** How many inputs are not answered yet. */
  waiting(): number;
  /** Resolves when everything that waits now is answered, or was dropped. */
  settled(): Promise<void>;
  close(): void;
};

type Move = Extract<PointerAction, { action: 'move' }>;

const maxBatch = 64;
const maxTyped = 5000;
const retryMs = 400;
const maxRetryMs = 4000;
/** So often is an input tried that the browser says it did not do. */
const maxTries = 3;

type Attached = { takeoverId: string; epoch: number; stop: AbortController };

export function createInputQueue(options: Options): InputQueue {
  const { onChange, onLost, onRefused } = options;
  let attached: Attached | undefined;
  let queue: PointerAction[] = [];
  let inFlight = 0;
  let newestMove: Move | undefined;
  /** The number of the first input in the queue; undefined until the server has said what the last one was. */
  let next: number | undefined;
  /** The number that the first input in the queue was sent with, while it is asked which was the last. */
  let asked: number | undefined;
  let lastPoint = { x: 0, y: 0 };
  let tries = 0;
  let isPumping = false;
  let whenSettled: (() => void)[] = [];

  const drop = () => {
    queue = [];
    newestMove = undefined;
    inFlight = 0;
    next = asked = undefined;
    tries = 0;
    settle();
  };
  const settle = () => {
    onChange?.();
    if (queue.length > 0) return;
    for (const resolve of whenSettled) resolve();
    whenSettled = [];
  };

  /** The next request: a question for the last number, the counted inputs, or the newest position. */
  function nextRequest({
    takeoverId,
  }: Attached): { actions: SentAction[]; counted: number; isMove: boolean } | undefined {
    if (next === undefined) {
      const probe: SentAction = { action: 'move', ...(newestMove ?? lastPoint), takeover_id: takeoverId };
      return { actions: [probe], counted: 0, isMove: newestMove !== undefined };
    }
    const first = next;
    const batch = queue.slice(0, maxBatch);
    if (batch.length > 0) {
      const actions = batch.map((action, index) => ({ ...action, takeover_id: takeoverId, input_seq: first + index }));
      return { actions, counted: batch.length, isMove: false };
    }
    if (!newestMove) return undefined;
    return { actions: [{ ...newestMove, takeover_id: takeoverId }], counted: 0, isMove: true };
  }

  function answered(seq: number, counted: number): void {
    if (next === undefined) {
      // What was done before the answer got lost is not sent again.
      const done = asked === undefined ? 0 : Math.max(0, seq + 1 - asked);
      if (done > 0) tries = 0;
      queue = queue.slice(done);
      next = seq + 1;
      asked = undefined;
    } else if (counted > 0) {
      queue = queue.slice(counted);
      next += counted;
      tries = 0;
    }
  }

  /** Returns how long to wait before the next request. */
  function failed(error: unknown, failures: number): number {
    const { failure, waitMs } = options.classify(error);
    const backoff = waitMs ?? Math.min(retryMs * 2 ** failures, maxRetryMs);
    if (failure === 'again') return backoff;
    if (failure === 'lost') {
      drop();
      onLost?.();
      return 0;
    }
    tries += 1;
    asked = next ?? asked;
    next = undefined;
    // Numbered only when sent: an input that is left out leaves no hole.
    if (queue.length > 0 && (failure === 'refused' || tries >= maxTries)) {
      queue = queue.slice(1);
      tries = 0;
      asked = undefined;
      onRefused?.(error);
    }
    return failure === 'refused' ? 0 : backoff;
  }

  async function pump(current: Attached): Promise<void> {
    const { signal } = current.stop;
    let failures = 0;
    while (!signal.aborted) {
      const request = nextRequest(current);
      if (!request) return;
      const sentMove = request.isMove ? newestMove : undefined;
      if (sentMove) newestMove = undefined;
      inFlight = request.counted;
      try {
        const seq = await options.send(request.actions, signal);
        if (signal.aborted) return;
        inFlight = 0;
        failures = 0;
        answered(seq, request.counted);
        settle();
      } catch (error) {
        if (signal.aborted) return;
        inFlight = 0;
        // A lost position is replaced by the next.
        const waitMs = failed(error, failures);
        failures += 1;
        settle();
        if (!attached || attached !== current) return;
        if (next === undefined && queue.length === 0 && !newestMove) return;
        if (waitMs > 0) await options.sleep(waitMs, signal).catch(() => {});
      }
    }
  }

  function start(): void {
    if (!attached || isPumping) return;
    const current = attached;
    isPumping = true;
    void pump(current).finally(() => {
      isPumping = false;
      if (attached && (attached !== current || queue.length > 0 || newestMove)) start();
    });
  }

  /** A position that an input follows is counted with it, so that both arrive in order. */
  function keepMove(): void {
    if (newestMove) queue.push(newestMove);
    newestMove = undefined;
  }

  return {
    attach(takeoverId, epoch) {
      if (attached?.takeoverId === takeoverId && attached.epoch === epoch) return;
      attached?.stop.abort();
      drop();
      attached = { takeoverId, epoch, stop: new AbortController() };
      start();
    },
    push(action) {
      if (!attached) return;
      if (newestMove) keepMove();
      if ('x' in action && action.x !== undefined && action.y !== undefined) lastPoint = { x: action.x, y: action.y };
      // What was not sent yet is joined: a fast typist and a wheel make many small inputs.
      const joined = queue.length > inFlight ? join(queue.at(-1), action) : undefined;
      if (joined) queue.splice(-1, 1, joined);
      else queue.push(action);
      onChange?.();
      start();
    },
    move(action) {
      if (!attached) return;
      lastPoint = { x: action.x, y: action.y };
      newestMove = action;
      start();
    },
    waiting: () => queue.length,
    settled: () => new Promise((resolve) => (queue.length === 0 ? resolve() : whenSettled.push(resolve))),
    close() {
      attached?.stop.abort();
      attached = undefined;
      drop();
    },
  };
}

/** Two inputs as one, where the page cannot tell the difference. */
function join(last: PointerAction | undefined, next: PointerAction): PointerAction | undefined {
  if (last?.action === 'type' && next.action === 'type' && last.text.length + next.text.length <= maxTyped)
    return { action: 'type', text: last.text + next.text };
  if (last?.action === 'compose' && next.action === 'compose') return next;
  if (last?.action === 'scroll' && next.action === 'scroll') {
    const sum = (one = 0, other = 0) => Math.max(-100_000, Math.min(100_000, one + other));
    const isSame = String(last.modifiers ?? []) === String(next.modifiers ?? []);
    if (!isSame) return undefined;
    return { ...next, delta_x: sum(last.delta_x, next.delta_x), delta_y: sum(last.delta_y, next.delta_y) };
  }
  return undefined;
}
