// What is kept of a person's input: that there was some, and where. Never what was typed, nor the address they went to.

import type { Overlay, PointerAction } from '@pilothouse/contract';
import { type Caller, newId, type Store } from '@pilothouse/store';
import type { From } from '../http/serve.ts';

type Hold = { sessionId: string; takeoverId: string; taskId: string | null; epoch: number };
type Print = { kind: Overlay['kind']; label: string; isBurst?: boolean };

/** Who types or scrolls does it many times a second: one print stands for so long. */
const burstMs = 2000;
const maxKnown = 1000;

/** What leaves nothing behind has no line here. */
const prints: { [Action in PointerAction['action']]?: Print } = {
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
  close_page: { kind: 'note', label: 'Close a page' },
  focus: { kind: 'note', label: 'Switch to a page' },
  answer_dialog: { kind: 'note', label: 'Answer the page' },
  choose_files: { kind: 'note', label: 'Choose files' },
};

export function createHandprints(store: Store) {
  /** Bursts that are written down, so that not every key asks the database. */
  const known = new Set<string>();

  function keyOf({ takeoverId, epoch }: Hold, { kind, isBurst }: Print, action: PointerAction): string | undefined {
    if (isBurst) return `hand ${takeoverId} ${kind} ${Math.floor(Date.now() / burstMs)}`;
    const seq = 'input_seq' in action ? action.input_seq : undefined;
    return seq === undefined ? undefined : `hand ${takeoverId} ${epoch} ${seq}`;
  }

  return {
    /** An overlay for whoever watches, and a line in the audit. Sent again, it is one print. */
    async leave(hold: Hold, actions: PointerAction[], { caller, from }: { caller: Caller; from: From }): Promise<void> {
      const made = actions.flatMap((action) => {
        const print = prints[action.action];
        const dedupKey = print && keyOf(hold, print, action);
        return print && !(dedupKey && known.has(dedupKey)) ? [{ action, print, dedupKey }] : [];
      });
      if (made.length === 0) return;
      const { sessionId, taskId, takeoverId } = hold;
      await store.change(sessionId, async (tx, append) => {
        const done: string[] = [];
        for (const { action, print, dedupKey } of made) {
          const overlay = overlayOf(hold, print, action);
          const { isNew } = await append({ taskId, kind: 'overlay', data: { overlay }, dedupKey });
          if (isNew) done.push(action.action);
        }
        const data = { takeover_id: takeoverId, session_id: sessionId, task_id: taskId, actions: done };
        const entry = { event: 'pointer', outcome: 'success', userId: caller.id, address: from.address, data };
        if (done.length > 0) await store.audit.add(entry, tx);
      });
      if (known.size > maxKnown) known.clear();
      for (const { print, dedupKey } of made) if (print.isBurst && dedupKey) known.add(dedupKey);
    },
  };
}

function overlayOf(
  { sessionId, taskId }: Hold,
  { kind, label }: Print,
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
