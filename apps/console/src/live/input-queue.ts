// The inputs of a person on their way to the browser: numbered, in order, sent again until answered, none done twice.

import type { PointerAction } from './api-types.ts';

export type SentAction = PointerAction & {
  takeover_id: string;
  client_id?: string;
  /** What was meant for a page is not done on that of a browser which was opened again since. */
  epoch: number;
  input_seq?: number;
};

/** The window that counts, and the number of its first input where that is known; and what the page before it left. */
export type Counting = { clientId: string; next?: number; left?: PointerAction[] };

/** What became of a request. `again`: send the same numbers later. `sync`: ask which number was the last. */
export type SendFailure = 'again' | 'sync' | 'refused' | 'lost';

type Options = {
  /** Sends actions in order, and returns the number of the last one that is done. */
  send: (actions: SentAction[], signal: AbortSignal) => Promise<number>;
  classify: (error: unknown) => { failure: SendFailure; waitMs?: number };
  /** Sends actions in a request that outlasts the page. Nobody hears the answer. */
  sendLast?: (actions: SentAction[]) => void;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called when the count of waiting inputs changes, and after each answer. */
  onChange?: () => void;
  /** The server says that this person does not drive. */
  onLost?: () => void;
  /** An input that the browser refused for good. */
  onRefused?: (error: unknown) => void;
};

export type InputQueue = {
  /**
   * Begins to count under this takeover, epoch and window; what waited under another is dropped. Without a number the
   * first request asks for the last one.
   */
  attach(takeoverId: string, epoch: number, counting?: Counting): void;
  /** This window is about to count under this takeover and epoch: until it is attached, inputs are kept and nothing is sent. */
  expect(takeoverId: string, epoch: number): void;
  push(action: PointerAction): void;
  /** Only the newest position waits. */
  move(action: Extract<PointerAction, { action: 'move' }>): void;
  /** How many inputs are not answered yet. */
  waiting(): number;
  /** Resolves when everything that waits now is answered, or was dropped. */
  settled(): Promise<void>;
  /** The page goes away. What is not answered is sent once more under its numbers, because its own request ends with it. */
  leave(): void;
  close(): void;
};

type Move = Extract<PointerAction, { action: 'move' }>;

const maxBatch = 64;
const maxTyped = 5000;
const retryMs = 400;
const maxRetryMs = 4000;
/** So often is an input tried that the browser says it did not do. */
const maxTries = 3;

type Attached = {
  takeoverId: string;
  epoch: number;
  clientId: string | undefined;
  isCounted: boolean;
  stop: AbortController;
};

/** The inputs that are not answered, and the number of the first of them. */
function createNumberedInputs() {
  let queue: PointerAction[] = [];
  let inFlight = 0;
  /** How many inputs at the front this page, or the one before it, has sent at least once: the host may have done them. */
  let sent = 0;
  let newestMove: Move | undefined;
  /** The number of the first input in the queue; undefined until the server has said what the last one was. */
  let next: number | undefined;
  /** The number that the first input in the queue was sent with, while it is asked which was the last. */
  let asked: number | undefined;
  let lastPoint = { x: 0, y: 0 };
  let tries = 0;
  return {
    length: () => queue.length,
    isIdle: () => queue.length === 0 && !newestMove,
    drop() {
      queue = [];
      newestMove = next = asked = undefined;
      inFlight = sent = tries = 0;
    },
    begin(first: number, left: PointerAction[] = []) {
      next = first;
      queue = [...left, ...queue];
      sent = left.length;
    },
    push(action: PointerAction) {
      // A position that an input follows is counted with it, so that both arrive in order.
      if (newestMove) queue.push(newestMove);
      newestMove = undefined;
      if ('x' in action && action.x !== undefined && action.y !== undefined) lastPoint = { x: action.x, y: action.y };
      // What was not sent yet is joined: a fast typist and a wheel make many small inputs.
      const joined = queue.length > sent ? join(queue.at(-1), action) : undefined;
      if (joined) queue.splice(-1, 1, joined);
      else queue.push(action);
    },
    move(action: Move) {
      lastPoint = { x: action.x, y: action.y };
      newestMove = action;
    },
    /** The next request: a question for the last number, the counted inputs, or the newest position. */
    request(names: Pick<SentAction, 'takeover_id' | 'client_id' | 'epoch'>): SentAction[] | undefined {
      const first = next;
      const batch = first === undefined ? [] : queue.slice(0, maxBatch);
      inFlight = batch.length;
      sent = Math.max(sent, inFlight);
      if (first !== undefined && batch.length > 0)
        return batch.map((action, index) => ({ ...action, ...names, input_seq: first + index }));
      if (first !== undefined && !newestMove) return undefined;
      const move: Move = newestMove ?? { action: 'move', ...lastPoint };
      newestMove = undefined;
      return [{ ...move, ...names }];
    },
    answered(seq: number) {
      // What was done before the answer got lost is not sent again.
      const done = next === undefined ? Math.max(0, seq + 1 - (asked ?? seq + 1)) : inFlight;
      next = next === undefined ? seq + 1 : next + done;
      queue = queue.slice(done);
      sent = Math.max(0, sent - done);
      if (done > 0) tries = 0;
      asked = undefined;
      inFlight = 0;
    },
    /** It is asked which was the last. Returns whether the first input was left out. */
    refused(isForGood: boolean): boolean {
      tries += 1;
      asked = next ?? asked;
      next = undefined;
      if (queue.length === 0 || !(isForGood || tries >= maxTries)) return false;
      // Numbered only when sent: an input that is left out leaves no hole.
      queue = queue.slice(1);
      sent = Math.max(0, sent - 1);
      tries = 0;
      asked = undefined;
      return true;
    },
    ended: () => {
      inFlight = 0;
    },
  };
}

type NumberedInputs = ReturnType<typeof createNumberedInputs>;

export function createInputQueue(options: Options): InputQueue {
  const inputs = createNumberedInputs();
  let attached: Attached | undefined;
  let isPumping = false;
  /** Names that were attached before: what they count by now, only the host knows. */
  let lastNames = '';
  const waiters = createWaiters(() => inputs.length() === 0, options.onChange);
  const settle = waiters.check;
  const drop = () => {
    inputs.drop();
    settle();
  };

  function start(): void {
    if (!attached?.isCounted || isPumping) return;
    const current = attached;
    isPumping = true;
    void pump(current, options, inputs, settle).finally(() => {
      isPumping = false;
      if (attached && (attached !== current || !inputs.isIdle())) start();
    });
  }

  /** What waits to be counted under the same takeover and epoch is kept. */
  function replace(next: Omit<Attached, 'stop'>): void {
    attached?.stop.abort();
    if (attached?.isCounted || !isOf(attached, next)) drop();
    attached = { ...next, stop: new AbortController() };
  }

  return {
    attach(takeoverId, epoch, counting) {
      const names = { takeoverId, epoch, clientId: counting?.clientId };
      if (attached?.isCounted && isOf(attached, names) && attached.clientId === names.clientId) return;
      replace({ ...names, isCounted: true });
      const allNames = Object.values(names).join(' ');
      if (counting?.next !== undefined && allNames !== lastNames) inputs.begin(counting.next, counting.left);
      lastNames = allNames;
      start();
    },
    expect(takeoverId, epoch) {
      const names = { takeoverId, epoch, clientId: undefined };
      if (attached?.isCounted || !isOf(attached, names)) replace({ ...names, isCounted: false });
    },
    push(action) {
      if (!attached) return;
      inputs.push(action);
      options.onChange?.();
      start();
    },
    move(action) {
      if (!attached) return;
      inputs.move(action);
      start();
    },
    waiting: inputs.length,
    settled: waiters.wait,
    leave: () => attached?.isCounted && sendLast(attached, options, inputs),
    close() {
      attached?.stop.abort();
      attached = undefined;
      drop();
    },
  };
}

/** Sends what waits, until nothing does or another is attached. */
async function pump(
  { stop: { signal }, ...names }: Attached,
  options: Options,
  inputs: NumberedInputs,
  settle: () => void,
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const actions = inputs.request(namesOf(names));
    if (!actions) return;
    try {
      const seq = await options.send(actions, signal);
      if (signal.aborted) return;
      failures = 0;
      inputs.answered(seq);
      settle();
    } catch (error) {
      if (signal.aborted) return;
      // A lost position is replaced by the next.
      const waitMs = failed(error, failures, options, inputs);
      failures += 1;
      settle();
      if (inputs.isIdle()) return;
      if (waitMs > 0) await options.sleep(waitMs, signal).catch(() => {});
    }
  }
}

type Names = Pick<Attached, 'takeoverId' | 'epoch'>;
const isOf = (attached: Attached | undefined, { takeoverId, epoch }: Names): boolean =>
  attached?.takeoverId === takeoverId && attached.epoch === epoch;

/** Those who wait until it is so. */
function createWaiters(isSo: () => boolean, onCheck: (() => void) | undefined) {
  let waiting: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => (isSo() ? resolve() : void waiting.push(resolve))),
    check() {
      onCheck?.();
      if (!isSo()) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
}

const namesOf = ({ takeoverId, clientId, epoch }: Omit<Attached, 'isCounted' | 'stop'>) => ({
  takeover_id: takeoverId,
  epoch,
  ...(clientId && { client_id: clientId }),
});

function sendLast(attached: Attached, options: Options, inputs: NumberedInputs): void {
  const actions = inputs.length() > 0 ? inputs.request(namesOf(attached)) : undefined;
  if (actions) options.sendLast?.(actions);
}

/** Returns how long to wait before the next request. */
function failed(error: unknown, failures: number, options: Options, inputs: NumberedInputs): number {
  const { failure, waitMs } = options.classify(error);
  const backoff = waitMs ?? Math.min(retryMs * 2 ** failures, maxRetryMs);
  inputs.ended();
  if (failure === 'again') return backoff;
  if (failure === 'lost') {
    inputs.drop();
    options.onLost?.();
    return 0;
  }
  if (inputs.refused(failure === 'refused')) options.onRefused?.(error);
  return failure === 'refused' ? 0 : backoff;
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
