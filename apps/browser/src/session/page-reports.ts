// Reports of what pages say and where they are. Agents write reports into the session's log, so they never hold what
// belongs to a person who drives.

import type { Report } from '@pilothouse/bus';

/** A report that the session sends by itself. The host adds session and epoch. */
export type SessionReport = DistributiveOmit<Report, 'session_id' | 'epoch'>;
type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never;

export type PageReports = {
  send(report: SessionReport): void;
  /** Leaves the words of pages out of every report that is sent while this is true. */
  hideWordsWhile(isPrivate: () => boolean): void;
};

/** `isPerson`: a person drives from the start, so words are left out until `hideWordsWhile` says more. */
export function createPageReports(isPerson: boolean, onReport: (report: SessionReport) => void): PageReports {
  let hidesWords = () => isPerson;
  return {
    send: (report) => onReport(hidesWords() ? withoutWords(report) : report),
    hideWordsWhile(isPrivate) {
      hidesWords = isPrivate;
    },
  };
}

function withoutWords(report: SessionReport): SessionReport {
  if (report.type === 'dialog')
    return { ...report, dialog: report.dialog && { ...report.dialog, message: '', default_value: '' } };
  if (report.type === 'refused') return { ...report, target: 'an address' };
  return report.type === 'crashed' ? { ...report, url: null } : report;
}
