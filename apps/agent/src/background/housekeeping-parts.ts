// What housekeeping does, part by part: each removes one kind of row that is of no more use.

import { type Detail, detailNames, type Store, type TrimPosition } from '@pilothouse/store';
import { removeOrphanBlobs } from './orphan-blobs.ts';

/** For how many days each kind is kept; 0 is for ever. */
export type KeepDays = Record<Detail, number> & {
  events: number;
  takeovers: number;
  audit: number;
  logins: number;
};
export type Part = {
  name: string;
  everySecs: number;
  /** Does one batch; returns how much it did, and 0 if nothing is left to do. */
  batch: (signal: AbortSignal) => Promise<number>;
  /** For how many seconds the oldest has been due. */
  overdueSecs?: () => Promise<number>;
};

const batchSize = 1000;
const tasksPerBatch = 200;
const partitionDaysAhead = 30;
/** After the end of a share its token is refused; its row is of no use. */
const shareDays = 1;

const minute = 60;
const hour = 60 * minute;

export function housekeepingParts(store: Store, keep: KeepDays): Part[] {
  return [
    { name: 'partitions', everySecs: 6 * hour, batch: () => makePartitions(store) },
    ...sweeps(store, keep),
    ...(keep.events > 0 ? eventParts(store, keep.events) : []),
    ...detailNames.filter((detail) => keep[detail] > 0).map((detail) => detailPart(store, detail, keep[detail])),
    { name: 'orphan_blobs', everySecs: hour, batch: orphanBlobs(store) },
  ];
}

async function makePartitions(store: Store): Promise<number> {
  await store.events.ensurePartitions(partitionDaysAhead);
  return 0;
}

function sweeps(store: Store, keep: KeepDays): Part[] {
  const { oldRows } = store;
  const overdue = () => oldRows.overdueSecs(keep);
  const parts: (Part & { days?: number })[] = [
    { name: 'logins', everySecs: hour, batch: () => store.logins.sweep(keep.logins, batchSize) },
    { name: 'access_tokens', everySecs: hour, batch: () => store.logins.sweepTokens(batchSize) },
    { name: 'rate_limits', everySecs: 10 * minute, batch: () => store.limits.sweep(batchSize) },
    { name: 'idempotency_keys', everySecs: hour, batch: () => store.idempotency.sweep(batchSize) },
    { name: 'viewers', everySecs: hour, batch: () => store.viewers.sweep(batchSize) },
    { name: 'recorders', everySecs: hour, batch: () => store.recorders.sweep(batchSize) },
    { name: 'agents', everySecs: hour, batch: () => store.agents.sweep(batchSize) },
    { name: 'hosts', everySecs: hour, batch: () => store.hosts.sweep(batchSize) },
    { name: 'host_joins', everySecs: 10 * minute, batch: () => store.hostJoins.sweep(batchSize) },
    { name: 'reports', everySecs: 10 * minute, batch: () => store.reports.sweep(batchSize) },
    { name: 'browser_waits', everySecs: hour, batch: () => store.browserTurns.sweep(batchSize) },
    { name: 'job_claims', everySecs: hour, batch: () => store.jobClaims.sweep(batchSize) },
    { name: 'shares', everySecs: hour, batch: () => oldRows.shares(shareDays, batchSize) },
    {
      name: 'gone_files',
      everySecs: hour,
      days: keep.observations,
      batch: () => oldRows.goneFiles(keep.observations, batchSize),
    },
    {
      name: 'takeovers',
      everySecs: hour,
      days: keep.takeovers,
      batch: () => oldRows.takeovers(keep.takeovers, batchSize),
      overdueSecs: async () => (await overdue()).takeovers,
    },
    {
      name: 'audit',
      everySecs: hour,
      days: keep.audit,
      batch: () => oldRows.audit(keep.audit, batchSize),
      overdueSecs: async () => (await overdue()).audit,
    },
  ];
  return parts.flatMap(({ days, ...part }) => (days === 0 ? [] : part));
}

const detailPart = (store: Store, detail: Detail, days: number): Part => ({
  name: detail,
  everySecs: 10 * minute,
  batch: () => store.oldDetails.remove(detail, days, tasksPerBatch),
  overdueSecs: () => store.oldDetails.overdueSecs(detail, days),
});

/** Dropping is quick and comes often. Partitions that cannot be dropped are walked through less often. */
function eventParts(store: Store, days: number): Part[] {
  let position: TrimPosition | undefined;
  const trim = async (): Promise<number> => {
    const done = await store.oldEvents.trimSessions(days, position);
    position = done?.position;
    return done ? done.removed + 1 : store.oldEvents.trimRest(days);
  };
  return [
    {
      name: 'events',
      everySecs: 10 * minute,
      batch: async () => (await store.oldEvents.dropPartitions(days)).length,
      overdueSecs: () => store.oldEvents.overdueSecs(days),
    },
    { name: 'events_of_long_sessions', everySecs: 6 * hour, batch: trim },
  ];
}

const orphanBlobs = (store: Store) => async (signal: AbortSignal) => {
  await removeOrphanBlobs({ store, now: () => new Date(), signal });
  return 0;
};
