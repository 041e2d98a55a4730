// Metrics of the whole installation, out of the database. Every server shows the same ones: they must be there when all
// agents are away. Labels are words of our own code, never a user, a session or an address.

import { statfs } from 'node:fs/promises';
import { waitCauses } from '@pilothouse/contract';
import { createFigures, exposeFigures, type Figures } from '@pilothouse/process';
import type { FleetFigures, Store, StoredTotals, TaskFigures } from '@pilothouse/store';
import type { Registry } from 'prom-client';

type Options = {
  store: Pick<Store, 'figures' | 'storedBytes'>;
  metrics: Registry;
  /** Undefined where blobs are in a bucket. */
  blobDir: string | undefined;
  everyMs?: number;
  /** How long whoever reads the metrics waits for them. */
  patienceMs?: number;
};

const liveMs = 5000;
/** One row for each user is read for what is stored, so it is asked for less often. */
const storedEvery = 12;
const statuses = ['pending', 'running', 'awaiting_user', 'takeover'] as const;

export function exposeInstallation({ store, metrics, blobDir, everyMs = liveMs, patienceMs }: Options): void {
  const figures = {
    tasks: createFigures({ ask: () => store.figures.tasks(), everyMs, patienceMs }),
    fleet: createFigures({ ask: () => store.figures.fleet(), everyMs, patienceMs }),
    stored: createFigures({ ask: () => store.storedBytes.totals(), everyMs: storedEvery * everyMs, patienceMs }),
  };
  const disk = blobDir !== undefined && createFigures({ ask: () => statfs(blobDir), everyMs, patienceMs });
  exposeTasks(metrics, figures.tasks);
  exposeFleet(metrics, figures.fleet);
  exposeStored(metrics, figures.stored);
  if (disk)
    exposeFigures(metrics, disk, {
      name: 'pilothouse_blob_disk_bytes',
      help: 'The disk of BLOB_DIR at this server: what is free, and its size.',
      labelNames: ['kind'],
      show: ({ bavail, blocks, bsize }) => labelled('kind', { free: bavail * bsize, size: blocks * bsize }),
    });
  exposeKnown(metrics, { ...figures, ...(disk && { disk }) });
}

const labelled = <Label extends string>(label: Label, values: Record<string, number>) =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name } as Record<Label, string>, value }));

function exposeTasks(metrics: Registry, tasks: Figures<TaskFigures[]>): void {
  exposeFigures(metrics, tasks, {
    name: 'pilothouse_tasks',
    help: 'Open tasks by status.',
    labelNames: ['status'],
    show: (found) =>
      statuses.map((status) => {
        const value = found.filter((one) => one.status === status).reduce((sum, { count }) => sum + count, 0);
        return { labels: { status }, value };
      }),
  });
  const ofCause = (found: TaskFigures[], cause: string) => found.filter((one) => one.cause === cause);
  exposeFigures(metrics, tasks, {
    name: 'pilothouse_tasks_waiting',
    help: 'Open tasks that wait, by what they wait for. Those of programs are not among them.',
    labelNames: ['cause'],
    show: (found) =>
      waitCauses.map((cause) => {
        const value = ofCause(found, cause).reduce((sum, { count }) => sum + count, 0);
        return { labels: { cause }, value };
      }),
  });
  exposeFigures(metrics, tasks, {
    name: 'pilothouse_tasks_waiting_oldest_seconds',
    help: 'For how long the task has waited that has waited longest, by what it waits for; 0 if none does.',
    labelNames: ['cause'],
    show: (found) =>
      waitCauses.map((cause) => {
        const value = Math.max(0, ...ofCause(found, cause).map(({ oldestSecs }) => oldestSecs));
        return { labels: { cause }, value };
      }),
  });
}

function exposeFleet(metrics: Registry, fleet: Figures<FleetFigures>): void {
  exposeFigures(metrics, fleet, {
    name: 'pilothouse_hosts',
    help: 'Browser hosts: with a lease, those of them that agents avoid, and those that lost it within a day.',
    labelNames: ['state'],
    show: ({ hosts, shunnedHosts, goneHosts }) =>
      labelled('state', { live: hosts, shunned: shunnedHosts, gone: goneHosts }),
  });
  exposeFigures(metrics, fleet, {
    name: 'pilothouse_browser_slots',
    help: 'How many browsers the living hosts have room for, and how many more they have.',
    labelNames: ['state'],
    show: ({ slots, freeSlots }) => labelled('state', { free: freeSlots, taken: slots - freeSlots }),
  });
  exposeFigures(metrics, fleet, {
    name: 'pilothouse_browser_waits',
    help: 'Sessions that wait for a browser, by who needs it.',
    labelNames: ['by'],
    show: ({ waitingTasks, waitingPersons }) => labelled('by', { task: waitingTasks, person: waitingPersons }),
  });
  exposeFigures(metrics, fleet, {
    name: 'pilothouse_agents',
    help: 'Agents that were seen within 30 seconds, and those that were not and whose work nobody has recovered.',
    labelNames: ['state'],
    show: ({ agents, missingAgents }) => labelled('state', { live: agents, missing: missingAgents }),
  });
}

function exposeStored(metrics: Registry, stored: Figures<StoredTotals>): void {
  exposeFigures(metrics, stored, {
    name: 'pilothouse_stored_bytes',
    help: 'What is stored for all users by kind, and the size of the database, which holds the states.',
    labelNames: ['kind'],
    show: ({ kinds, databaseBytes }) =>
      labelled('kind', {
        ...Object.fromEntries(kinds.map(({ kind, total }) => [kind, total])),
        database: databaseBytes,
      }),
  });
  exposeFigures(metrics, stored, {
    name: 'pilothouse_stored_bytes_largest_user',
    help: 'What is stored for the user who has most of this kind.',
    labelNames: ['kind'],
    show: ({ kinds }) => kinds.map(({ kind, largest }) => ({ labels: { kind }, value: largest })),
  });
}

/** Its own figures are read with every scrape: they ask nobody but the others. */
function exposeKnown(metrics: Registry, figures: Record<string, Figures<unknown>>): void {
  const ask = () =>
    Promise.all(Object.entries(figures).map(async ([of, one]) => ({ of, isKnown: (await one.read()) !== undefined })));
  exposeFigures(
    metrics,
    { read: ask },
    {
      name: 'pilothouse_figures_known',
      help: 'Whether what these metrics are made of is known and young: 1 or 0.',
      labelNames: ['of'],
      show: (known) => known.map(({ of, isKnown }) => ({ labels: { of }, value: Number(isKnown) })),
    },
  );
}
