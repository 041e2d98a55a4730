// Reads the browser's state: for replies, and as checkpoints a moment after acts and regularly while a person drives.

import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import { type Deadline, startDeadline } from '../common/deadline.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Pages } from '../pages/pages.ts';
import { originOf } from '../state/origin.ts';
import { type OnCut, placesOf, readState } from '../state/saved-state.ts';

const saveMs = 2500;
const checkpointEveryMs = 10_000;
const checkpointAfterMs = 300;

export type Checkpoints = {
  save(deadline: Deadline): Promise<SavedState>;
  /** As `save`, within a short time. Where the state cannot be read, the open addresses and the last state read. */
  saveSoon(deadline: Deadline): Promise<SavedState>;
  /** Saves a moment later, so that acts in quick succession are saved once, and none waits for it. */
  schedule(): void;
  /** A person drives for this long: the state is saved regularly until then. */
  setDriven(forMs: number): void;
  /** A page shows another document: saved soon where a person drives, because no act tells of it. */
  onLoad(): void;
  close(): void;
};

type Options = {
  context: BrowserContext;
  pages: Pages;
  dialogs: Dialogs;
  /** The state that the session was opened with. */
  state: SavedState | null;
  signal: AbortSignal;
  onCheckpoint: (state: SavedState) => void;
  onCut: OnCut;
};

export function createCheckpoints(options: Options): Checkpoints {
  const { context, dialogs, state, signal, onCheckpoint, onCut } = options;
  const pages = savedPages(options.pages);
  let saved: SavedState | undefined = state ?? undefined;
  let drivenUntil = 0;
  let pending: NodeJS.Timeout | undefined;

  async function save(deadline: Deadline): Promise<SavedState> {
    saved = await readState(context, pages, deadline, { isMute: mutePages(pages, dialogs), onCut });
    return saved;
  }

  async function saveSoon(deadline: Deadline): Promise<SavedState> {
    const isThere = AbortSignal.any([deadline.signal, pages.gone(pages.current())]);
    return save(deadline.atMost(saveMs).until(isThere)).catch(() => {
      saved = placesOf(pages, saved);
      return saved;
    });
  }

  function schedule(): void {
    pending ??= setTimeout(() => {
      pending = undefined;
      void saveSoon(startDeadline(saveMs, signal)).then(onCheckpoint);
    }, checkpointAfterMs);
  }
  const saveDriven = () => {
    if (performance.now() < drivenUntil) schedule();
  };
  const regularly = setInterval(saveDriven, checkpointEveryMs);

  return {
    save,
    saveSoon,
    schedule,
    setDriven(forMs) {
      drivenUntil = performance.now() + forMs;
    },
    onLoad: saveDriven,
    close() {
      clearInterval(regularly);
      clearTimeout(pending);
    },
  };
}

/** Tabs of a person beside the session's own are not saved. */
function savedPages(pages: Pages): Pages {
  const all = () => pages.all().filter((page) => !pages.isBeside(page));
  const current = () => (pages.isBeside(pages.current()) ? (all().at(-1) ?? pages.current()) : pages.current());
  return { ...pages, all, current };
}

/** Pages with an open dialog and crashed pages answer nothing, nor do pages that share a process with them. */
function mutePages(pages: Pages, dialogs: Dialogs): (page: Page) => boolean {
  const isStill = (page: Page) => dialogs.of(page) !== null || pages.isCrashed(page);
  const still = pages.all().filter(isStill);
  const stillOrigins = new Set(still.map((page) => originOf(page.url())));
  stillOrigins.delete(undefined);
  return (page) => isStill(page) || stillOrigins.has(originOf(page.url()));
}
