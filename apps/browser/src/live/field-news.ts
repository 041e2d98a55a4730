// What the injected script reports of the fields of a page, kept in the page's record: which secret field has the focus,
// what a person wrote, and which keys went where.

import type { FieldDocument, FieldNews } from '../dom/mask.ts';
import type { PagePrivacy } from './page-privacy.ts';
import type { PersonDrives } from './person-drives.ts';

/** A page that hung may report this late what a person typed into it. */
const lateMs = 15_000;
/** The script reports one field at most once a second, and says at the end of it that there was more. */
const reportedLateMs = 2000;
const maxWritten = 2000;
const maxLabels = 50;

type Options = {
  drives: PersonDrives;
  /** A step is under way for an agent. */
  isActing: () => boolean;
  /** The names of the fields that a person wrote into. */
  labels: Set<string>;
};

/** Where a page hangs, its fields are covered when it answers again, and the page is private until then. */
export function coverFields(sheet: PagePrivacy): void {
  sheet.drawnBefore.nobody = Date.now();
  for (const [key, { place, number }] of sheet.written) {
    sheet.uncovered.add(key);
    place.cover(number);
  }
  sheet.written.clear();
}

/** The browser shows the picture of the old document until the new one has drawn itself. */
export function enterDocument(sheet: PagePrivacy): void {
  const { areUnknown, isUnheard, wereSent } = sheet.keys;
  if (areUnknown || isUnheard || wereSent || sheet.uncovered.size > 0) sheet.isLeft = true;
  sheet.keys = { areUnknown: false, isUnheard: false, isHeard: false, wereSent: false };
}

export function createFieldNews({ drives, isActing, labels }: Options) {
  function onWritten(sheet: PagePrivacy, news: Extract<FieldNews, { type: 'written' }>, place: FieldDocument): void {
    const isPerson = drives.isPerson();
    const isLate = !isPerson && !isActing() && drives.stoppedAgoMs() < lateMs;
    if (!isPerson && !isLate) return;
    if (labels.size < maxLabels) labels.add(news.label);
    // More than a person fills in: then the whole page stays private until it shows another document.
    if (sheet.written.size >= maxWritten) sheet.uncovered.add(`${place.key} more`);
    else if (news.is_text) sheet.written.set(`${place.key} ${news.number}`, { place, number: news.number });
    if (isLate) coverFields(sheet);
  }

  /** Only a person's own keys count, so that a page cannot hide itself from its viewers. */
  function onKeys(sheet: PagePrivacy, isKnown: boolean): void {
    sheet.keys.isHeard = true;
    sheet.keys.isUnheard = false;
    const agoMs = drives.stoppedAgoMs();
    const isOfPerson = drives.isPerson() || agoMs < reportedLateMs || (!isActing() && agoMs < lateMs);
    if (!isKnown && sheet.keys.wereSent && isOfPerson) sheet.keys.areUnknown = true;
  }

  return (sheet: PagePrivacy, news: FieldNews, place: FieldDocument): void => {
    const document = `${place.key} `;
    switch (news.type) {
      case 'focus':
        if (news.by === null) sheet.secret.delete(document);
        else sheet.secret.set(document, news.by);
        break;
      case 'written':
        onKeys(sheet, true);
        onWritten(sheet, news, place);
        break;
      case 'keys':
        onKeys(sheet, news.is_known);
        break;
      case 'covered':
        sheet.uncovered.delete(`${place.key} ${news.number}`);
        break;
      case 'shown':
        sheet.unmasked.delete('drawing');
        if (news.is_drawn) sheet.isLeft = false;
    }
  };
}
