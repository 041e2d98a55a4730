// What is only for who drives: all that is seen while a person has the wheel, and a page whose focus is in a field that
// holds a secret. What they wrote is covered before anybody else sees the page again.

import type { Page } from 'playwright-core';
import type { FieldListener, FieldPlace } from './eyes/mask.ts';

/** What was written where. */
type Written = { place: FieldPlace; number: number };
type Sheet = {
  /** Documents of the page in which a secret field has the focus. */
  secret: Set<string>;
  /** Fields that a person wrote into, and those among them that are to be covered. */
  written: Map<string, Written>;
  uncovered: Set<string>;
  /** What was drawn before this moment was only for a person. */
  openSince: number;
};

export type Privacy = {
  /** Hears which fields of the page are used. */
  follow(page: Page): FieldListener;
  /** Somebody drives under this epoch. Once a person's, it stays a person's, unless an agent acts under it. */
  drive(epoch: number, who: Who): void;
  isDriven(): boolean;
  /** Of a picture drawn now, or at this moment of the clock. */
  isPrivate(page: Page, drawnAt?: number): boolean;
  /** Resolves when what a person wrote is covered, or after so long. */
  covered(timeoutMs: number): Promise<void>;
  /** What the fields are called that the last person wrote into. */
  labels(): string[];
};

const LATE_MS = 15_000;
const MAX_WRITTEN = 2000;
const MAX_LABELS = 50;

type Who = 'person' | 'agent' | 'somebody';
type Options = {
  epoch: number;
  isPerson: boolean;
  /** Something is being done for an agent. */
  isActing: () => boolean;
  /** What is seen of the page is for everybody again. */
  onOpen: (page: Page) => void;
};

export function createPrivacy({ epoch: first, isPerson: isOpenedForPerson, isActing, onOpen }: Options): Privacy {
  const sheets = new Map<Page, Sheet>();
  const labels = new Set<string>();
  let epoch = first;
  let isPerson = isOpenedForPerson;
  /** When the last one gave the wheel away, on the monotonic clock. */
  let endedAt = Number.NEGATIVE_INFINITY;
  let waiting: (() => void)[] = [];

  const isPrivateSheet = ({ secret, uncovered }: Sheet) => secret.size > 0 || uncovered.size > 0;
  const isCovered = () => [...sheets.values()].every(({ uncovered }) => uncovered.size === 0);
  function release(): void {
    if (!isCovered()) return;
    for (const resolve of waiting.splice(0)) resolve();
  }

  /** Where a page hangs it is covered when it wakes, and private until then. */
  function cover(sheet: Sheet): void {
    sheet.openSince = Date.now();
    for (const [key, { place, number }] of sheet.written) {
      sheet.uncovered.add(key);
      place.cover(number);
    }
    sheet.written.clear();
  }

  /** Something of the page is no longer a reason to hide it; it may have been the last. */
  function relax(page: Page, sheet: Sheet, change: () => void): void {
    const wasPrivate = isPrivateSheet(sheet);
    change();
    release();
    if (!wasPrivate || isPrivateSheet(sheet)) return;
    sheet.openSince = Date.now();
    if (!isPerson) onOpen(page);
  }

  function forget({ secret, written, uncovered }: Sheet, prefix: string): void {
    for (const keys of [secret, written, uncovered])
      for (const key of keys.keys()) if (key.startsWith(prefix)) keys.delete(key);
  }

  function follow(page: Page): FieldListener {
    const sheet: Sheet = { secret: new Set(), written: new Map(), uncovered: new Set(), openSince: 0 };
    sheets.set(page, sheet);
    const leave = () => {
      sheets.delete(page);
      release();
    };
    page.once('close', leave);
    page.once('crash', leave);
    return {
      onNews(news, place) {
        if (news.type === 'focus') {
          if (news.is_secret) sheet.secret.add(`${place.key} `);
          else relax(page, sheet, () => sheet.secret.delete(`${place.key} `));
        } else if (news.type === 'written') {
          // A page that hung may take only now what was typed into it.
          const isLate = !isPerson && !isActing() && performance.now() - endedAt < LATE_MS;
          if (!isPerson && !isLate) return;
          if (labels.size < MAX_LABELS) labels.add(news.label);
          // More than anybody fills in: then the whole page stays theirs for as long as it stands.
          if (sheet.written.size >= MAX_WRITTEN) sheet.uncovered.add(`${place.key} more`);
          else if (news.is_text) sheet.written.set(`${place.key} ${news.number}`, { place, number: news.number });
          if (isLate) cover(sheet);
        } else relax(page, sheet, () => sheet.uncovered.delete(`${place.key} ${news.number}`));
      },
      onGone: (prefix) => relax(page, sheet, () => forget(sheet, prefix)),
    };
  }

  return {
    follow,
    drive(next, who) {
      if (next < epoch) return;
      const wasPerson = isPerson;
      if (next > epoch) isPerson = who === 'person';
      else if (who !== 'somebody') isPerson = who === 'person';
      const isOver = wasPerson && (next > epoch || !isPerson);
      epoch = next;
      if (isOver) for (const sheet of sheets.values()) cover(sheet);
      if (isPerson && (isOver || !wasPerson)) labels.clear();
      if (!wasPerson || isPerson) return;
      endedAt = performance.now();
      for (const [page, sheet] of sheets) if (!isPrivateSheet(sheet)) onOpen(page);
    },
    isDriven: () => isPerson,
    isPrivate(page, drawnAt = Number.POSITIVE_INFINITY) {
      const sheet = sheets.get(page);
      if (isPerson || !sheet) return isPerson;
      return isPrivateSheet(sheet) || drawnAt < sheet.openSince;
    },
    async covered(timeoutMs) {
      if (isCovered()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
      waiting = waiting.filter((one) => one !== resolve);
    },
    labels: () => [...labels],
  };
}
