// Names of one browser at one host, as callers of a host use them.

/** The browser of this session, at this host. */
export type BrowserAddress = { sessionId: string; hostId: string };

/** The same, with the epoch of its driver. A host refuses an epoch that is older than the newest it has heard. */
export type BrowserHold = BrowserAddress & { epoch: number };

/** The same for a person who drives, with the number of the window in which they do. */
export type PersonHold = BrowserHold & { clientNo?: number };

/** From the names of the database's columns. */
export const holdOf = (row: { session_id: string; host_id: string; epoch: number }): BrowserHold => ({
  sessionId: row.session_id,
  hostId: row.host_id,
  epoch: row.epoch,
});
