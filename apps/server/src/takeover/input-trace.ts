// What is stored of a person's input: that there was some, and where. Never what was typed, nor the address they opened.

import type { Overlay, PointerAction } from '@pilothouse/contract';
import { type Caller, newId, type Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';

type DriverRef = { sessionId: string; takeoverId: string; taskId: string | null; epoch: number };
type TraceKind = { kind: Overlay['kind']; label: string; isBurst?: boolean };

/** A person types or scrolls many times a second: one trace stands for this long. */
const burstMs = 2000;
const maxKnownBursts = 1000;

/** An action without a row here leaves no trace. */
const traceKinds: { [Action in PointerAction['action']]?: TraceKind } = {
  click: { kind: 'click', label: 'Click' },
  double_click: { kind: 'click', label: 'Double click' },
  down: { kind: 'click', label: 'Press' },
  scroll: { kind: 'scroll', label: 'Scroll', isBurst: true },
  type: { kind: 'type', label: 'Type', isBurst: true },
  key: { kind: 'type', label: 'Type', isBurst: true },
  paste: { kind: 'type', label: 'Paste' },
  navigate: { kind: 'navigate', label: 'Open an address' },
  back: { kind: 'navigate', label: 'Go back' },
  forward: { kind: 'navigate', label: 'Go forward' },
  reload: { kind: 'navigate', label: 'Load again' },
  new_page: { kind: 'navigate', label: 'Open a page' },
  new_private_page: { kind: 'navigate', label: 'Open a private page' },
  close_page: { kind: 'note', label: 'Close a page' },
  focus: { kind: 'note', label: 'Switch to a page' },
  answer_dialog: { kind: 'note', label: 'Answer the page' },
  choose_files: { kind: 'note', label: 'Choose files' },
  choose_option: { kind: 'note', label: 'Choose from a list' },
  set_value: { kind: 'note', label: 'Set a value' },
};

export function createInputTrace(store: Store) {
  /** Bursts that are stored already, so that not every key asks the database. */
  const knownBursts = new Set<string>();

  return {
    /** An overlay for viewers, and a line in the audit. An input that is sent again leaves one trace. */
    async leave(
      driver: DriverRef,
      actions: PointerAction[],
      { caller, from }: { caller: Caller; from: From },
    ): Promise<void> {
      const traces = actions.flatMap((action) => {
        const kind = traceKinds[action.action];
        const dedupKey = kind && dedupKeyOf(driver, kind, action);
        return kind && !(dedupKey && knownBursts.has(dedupKey)) ? [{ action, kind, dedupKey }] : [];
      });
      if (traces.length === 0) return;
      const { sessionId, taskId, takeoverId } = driver;
      await store.change(sessionId, async (tx, append) => {
        const done: string[] = [];
        for (const { action, kind, dedupKey } of traces) {
          const overlay = overlayOf(driver, kind, action);
          const { isNew } = await append({ taskId, kind: 'overlay', data: { overlay }, dedupKey });
          if (isNew) done.push(action.action);
        }
        const data = { takeover_id: takeoverId, session_id: sessionId, task_id: taskId, actions: done };
        const entry = { event: 'pointer', outcome: 'success', userId: caller.id, address: from.address, data };
        if (done.length > 0) await store.audit.add(entry, tx);
      });
      if (knownBursts.size > maxKnownBursts) knownBursts.clear();
      for (const { kind, dedupKey } of traces) if (kind.isBurst && dedupKey) knownBursts.add(dedupKey);
    },
  };
}

/** The same key for the same input, however often it is sent. */
function dedupKeyOf({ takeoverId, epoch }: DriverRef, { kind, isBurst }: TraceKind, action: PointerAction) {
  if (isBurst) return `hand ${takeoverId} ${kind} ${Math.floor(Date.now() / burstMs)}`;
  const seq = 'input_seq' in action ? action.input_seq : undefined;
  return seq === undefined ? undefined : `hand ${takeoverId} ${epoch} ${seq}`;
}

function overlayOf(
  { sessionId, taskId }: DriverRef,
  { kind, label }: TraceKind,
  action: PointerAction,
): Omit<Overlay, 'seq' | 'recorded_at'> {
  const hasPoint = 'x' in action && action.x !== undefined && action.y !== undefined;
  return {
    overlay_id: newId(),
    session_id: sessionId,
    task_id: taskId,
    step_id: null,
    source: 'human',
    kind,
    label,
    bbox: null,
    point: hasPoint ? { x: action.x ?? 0, y: action.y ?? 0 } : null,
    data: {},
  };
}
