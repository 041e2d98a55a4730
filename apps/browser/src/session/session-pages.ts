// Follows the pages of a session: their dialogs, downloads and documents. Each page is masked as soon as it is there.

import type { Dialog } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import type { Chromium } from '../chromium/launch.ts';
import { createDom, type Dom, type Fingerprints } from '../dom/dom.ts';
import type { FieldListener } from '../dom/mask.ts';
import { createRefs } from '../dom/refs.ts';
import type { DocumentsOf } from '../dom/worlds/typing-target.ts';
import { keepMasked } from '../live/keep-masked.ts';
import type { Privacy } from '../live/privacy.ts';
import { createDialogs } from '../pages/dialogs.ts';
import { createFiles, type FileLimits } from '../pages/file-transfer.ts';
import { followPages } from '../pages/pages.ts';
import { createBehind } from '../pages/pages-behind.ts';
import { createPopups } from '../pages/popups.ts';
import { createSiteChanges } from '../pages/site-changes.ts';
import type { PageReports, SessionReport } from './page-reports.ts';

export type SessionPages = ReturnType<typeof followSessionPages>;

type Options = {
  context: BrowserContext;
  front: Page;
  chromium: Pick<Chromium, 'folder' | 'downloads' | 'uid'>;
  fileLimits?: FileLimits;
  maxPages: number;
  privacy: Privacy;
  reports: PageReports;
  epoch: () => number;
  /** Aborted when the session closes. */
  signal: AbortSignal;
  /** By which pages cover the secrets that were typed. */
  prints: () => Fingerprints | undefined;
  onReport: (report: SessionReport) => void;
  onDialog: (page: Page, dialog: Dialog | null) => void;
  /** A page put text on the clipboard. */
  onCopied: (text: string) => void;
  onBurst: () => void;
  onLoad: () => void;
};

export function followSessionPages(options: Options) {
  const { context, front, chromium, maxPages, privacy, reports, epoch, signal, onReport, onBurst, onLoad } = options;
  const { folder, downloads, uid } = chromium;
  const dialogs = createDialogs((page, dialog) => {
    options.onDialog(page, dialog);
    if (page === pages.current()) reports.send({ type: 'dialog', dialog });
  });
  const isCurrent = (offered: number) => offered >= epoch();
  const files = createFiles({ folder, downloads, uid, limits: options.fileLimits, isCurrent });
  const sites = createSiteChanges();
  const behind = createBehind((count) => onReport({ type: 'left_behind', count }));
  const refs = createRefs();
  const eyes = new WeakMap<Page, Dom>();
  const masks: Promise<void>[] = [];
  let isOpening = true;

  function eyesOf(page: Page): Dom {
    const known =
      eyes.get(page) ??
      createDom({ page, cdp: () => pages.cdp(page), refs, fields: fieldsOf(page), prints: options.prints });
    eyes.set(page, known);
    return known;
  }

  function fieldsOf(page: Page): FieldListener {
    return { ...privacy.follow(page), onLeaving: (url) => sites.announce(page, url), onCopied: options.onCopied };
  }
  const documentsOf: DocumentsOf = (page, deadline) => eyesOf(page).documents(deadline);

  function mask(page: Page): Promise<void> {
    const gone = new AbortController();
    page.once('close', () => gone.abort());
    const either = AbortSignal.any([signal, gone.signal]);
    return keepMasked({ dom: eyesOf(page), signal: either, onMasked: () => privacy.setMasked(page) });
  }

  const pages = followPages({
    context,
    first: front,
    maxPages,
    popups: createPopups(documentsOf),
    sites,
    onBehind: behind.add,
    onPage(page) {
      dialogs.follow(page);
      files.follow(page);
      const masked = mask(page);
      if (isOpening) masks.push(masked);
    },
    onCrash: (page) => reports.send({ type: 'crashed', what: 'page', url: page.url() }),
    onRefused: (hit) => onReport({ type: 'wall', ...hit }),
    onBurst,
    onLoad,
  });
  isOpening = false;

  return {
    pages,
    dialogs,
    files,
    sites,
    eyesOf,
    documentsOf,
    /** Resolves when each page that is open from the beginning is masked, or could not be masked at the first try. */
    masked: Promise.all(masks).then(() => undefined),
    close: behind.close,
  };
}
