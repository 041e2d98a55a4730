// Who may see a picture of a page. A picture is private while a person drives, while a secret field that was touched has
// the focus, while the page is not masked, and after a person typed where no dots can cover it. What a person wrote into
// fields is covered before any other viewer sees the page again.

import type { PrivateReason } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import type { FieldListener } from '../dom/mask.ts';
import { coverFields, createFieldNews, enterDocument } from './field-news.ts';
import {
  createPagePrivacy,
  forgetDocuments,
  isLessStrict,
  type PagePrivacy,
  reasonOfPage,
  strictest,
} from './page-privacy.ts';
import { createPersonDrives, type DriverKind } from './person-drives.ts';
import { createWaiters } from './waiters.ts';

export { strictest } from './page-privacy.ts';

export type Privacy = {
  /** The returned listener is told which fields of the page are used. */
  follow(page: Page): FieldListener;
  /** The page draws dots from now on. */
  setMasked(page: Page): void;
  /** A driver acts under this epoch. Once a person's, it stays a person's, unless an agent acts under it. */
  drive(epoch: number, who: DriverKind): void;
  isDriven(): boolean;
  /** The person who drives sends text to the page. */
  typed(page: Page): void;
  /** Why a picture drawn now, or at this moment of the clock, is private; undefined where every viewer may see it. */
  reasonOf(page: Page, drawnAt?: number): PrivateReason | undefined;
  /** The address and the title may hold what a person typed into no known field. */
  hidesPlace(page: Page): boolean;
  /** A script of the page keeps the focus in a secret field. */
  focusesSecretField(page: Page): boolean;
  /** Resolves when what a person wrote is covered, or after this time. */
  covered(timeoutMs: number): Promise<void>;
  /** Resolves when the page draws dots, or after this time. */
  masked(page: Page, timeoutMs: number): Promise<void>;
  /** The names of the fields that the last person wrote into. */
  labels(): string[];
};

type Options = {
  epoch: number;
  isPerson: boolean;
  /** A step is under way for an agent. */
  isActing: () => boolean;
  /** More viewers may see the page than before. */
  onOpen: (page: Page) => void;
  /** The picture of the page is the same, and what is said beside it is not. */
  onNotice: (page: Page) => void;
};

export function createPrivacy(options: Options): Privacy {
  const { epoch, isActing, onOpen, onNotice } = options;
  const sheets = new Map<Page, PagePrivacy>();
  const labels = new Set<string>();
  const drives = createPersonDrives({ epoch, isPerson: options.isPerson });
  const waiters = createWaiters();
  const onNews = createFieldNews({ drives, isActing, labels });

  const isCovered = () => [...sheets.values()].every(({ uncovered }) => uncovered.size === 0);
  const isMasked = (page: Page) => (sheets.get(page)?.unmasked.size ?? 0) === 0;
  const focusesSecretField = (page: Page) => [...(sheets.get(page)?.secret.values() ?? [])].includes('page');

  /** What was drawn before an obstacle went away stays behind it. */
  function change(page: Page, sheet: PagePrivacy, work: () => void): void {
    const [before, focusedBefore] = [reasonOfPage(sheet), focusesSecretField(page)];
    work();
    waiters.release();
    const after = reasonOfPage(sheet);
    if (before && before !== after) sheet.drawnBefore[before === 'secret_field' ? 'owner' : 'nobody'] = Date.now();
    if (drives.isPerson()) return;
    if (isLessStrict(after, before)) onOpen(page);
    else if (focusesSecretField(page) !== focusedBefore) onNotice(page);
  }

  function follow(page: Page): FieldListener {
    const sheet = createPagePrivacy();
    sheets.set(page, sheet);
    page.once('close', () => {
      sheets.delete(page);
      waiters.release();
    });
    page.once('crash', () => change(page, sheet, () => forgetDocuments(sheet, '')));
    return {
      onNews: (news, place) => change(page, sheet, () => onNews(sheet, news, place)),
      onGone: (prefix) => change(page, sheet, () => forgetDocuments(sheet, prefix)),
      onDocument: () => change(page, sheet, () => enterDocument(sheet)),
      onUnmasked: (frame) => change(page, sheet, () => sheet.unmasked.add(`frame ${frame}`)),
      onMasked: (frame) => change(page, sheet, () => sheet.unmasked.delete(`frame ${frame}`)),
    };
  }

  function drive(next: number, who: DriverKind): void {
    const change = drives.set(next, who);
    if (!change) return;
    const { wasPerson, isOver } = change;
    if (isOver) for (const sheet of sheets.values()) coverFields(sheet);
    if (drives.isPerson() && (isOver || !wasPerson)) {
      labels.clear();
      for (const { keys } of sheets.values()) [keys.wereSent, keys.isHeard] = [false, false];
    }
    if (!wasPerson || drives.isPerson()) return;
    for (const [page, sheet] of sheets) if ([undefined, 'secret_field'].includes(reasonOfPage(sheet))) onOpen(page);
  }

  return {
    follow,
    setMasked(page) {
      const sheet = sheets.get(page);
      if (sheet) change(page, sheet, () => sheet.unmasked.delete('page'));
    },
    drive,
    isDriven: drives.isPerson,
    typed: (page) => noteTyped(sheets.get(page)),
    reasonOf: (page, drawnAt) => (drives.isPerson() ? 'driven' : reasonOfPicture(sheets.get(page), drawnAt)),
    hidesPlace: (page) => !drives.isPerson() && mayRepeatTyped(sheets.get(page)),
    focusesSecretField,
    covered: (timeoutMs) => waiters.until(isCovered, timeoutMs),
    masked: (page, timeoutMs) => waiters.until(() => isMasked(page), timeoutMs),
    labels: () => [...labels],
  };
}

function reasonOfPicture(
  sheet: PagePrivacy | undefined,
  drawnAt = Number.POSITIVE_INFINITY,
): PrivateReason | undefined {
  if (!sheet) return 'page_not_masked';
  const { owner, nobody } = sheet.drawnBefore;
  return strictest(
    reasonOfPage(sheet),
    drawnAt < nobody ? 'driven' : undefined,
    drawnAt < owner ? 'secret_field' : undefined,
  );
}

function noteTyped(sheet: PagePrivacy | undefined): void {
  if (!sheet) return;
  sheet.keys.wereSent = true;
  sheet.keys.isUnheard ||= !sheet.keys.isHeard;
}

const mayRepeatTyped = (sheet: PagePrivacy | undefined): boolean =>
  sheet !== undefined && (sheet.keys.areUnknown || sheet.keys.isUnheard);
