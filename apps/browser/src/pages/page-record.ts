// What a session knows of one page: its id, how many documents it has shown, and whether it crashed or closed.

import type { Page } from 'playwright-core';

export type PageRecord = {
  id: string;
  loads: number;
  isCrashed: boolean;
  /** Aborted when the page crashes or closes. */
  gone: AbortSignal;
};

type Listeners = { onLoad: () => void; onClose: () => void; onCrash: (page: Page) => void };

export function recordPage(page: Page, id: string, { onLoad, onClose, onCrash }: Listeners): PageRecord {
  const ending = new AbortController();
  const record = { id, loads: 0, isCrashed: false, gone: ending.signal };
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return;
    record.loads += 1;
    onLoad();
  });
  page.once('close', () => ending.abort());
  page.once('close', onClose);
  page.once('crash', () => {
    record.isCrashed = true;
    ending.abort();
    onCrash(page);
  });
  return record;
}
