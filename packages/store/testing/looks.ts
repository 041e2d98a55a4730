// Every read that an agent's timers or a server's metrics repeat within seconds, by its name, and those of an agent's
// retention that are read along an index: what they ask while there is nothing to do.

import { randomUUID } from 'node:crypto';
import type { Store } from '../src/index.ts';

const leaseMs = 10_000;
const idleMs = 900_000;
const limit = 50;
const agentId = randomUUID();

export const looks: Record<string, (store: Store) => Promise<unknown>> = {
  glance: (store) => store.glance(agentId, leaseMs),
  'figures.tasks': (store) => store.figures.tasks(),
  'figures.fleet': (store) => store.figures.fleet(),
  'agents.missing': (store) => store.agents.missing(agentId, leaseMs),
  'browsers.unused': (store) => store.browsers.unused(idleMs),
  'browsers.waitingTooLong': (store) => store.browsers.waitingTooLong(idleMs),
  'browsers.orphans': (store) => store.browsers.orphans(),
  'browsers.withoutHost': (store) => store.browsers.withoutHost(),
  'browsers.hostsWithOldDriver': (store) => store.browsers.hostsWithOldDriver(),
  'takeovers.expired': (store) => store.takeovers.expired(),
  'takeovers.unattended': (store) => store.takeovers.unattended(),
  'stuck.find': (store) => store.stuck.find(leaseMs),
  'waits.takeUnlooked': (store) => store.waits.takeUnlooked(2000),
  'waits.expired': (store) => store.waits.expired(),
  'recorders.claim': (store) => store.recorders.claim(agentId, leaseMs),
  'queue.claim': (store) => store.queue.claim(agentId, limit),
  'queue.heldBy': (store) => store.queue.heldBy(agentId),
  'queue.recover': (store) => store.queue.recover(agentId),
  'queue.giveBack': (store) => store.queue.giveBack(agentId),
  'browserTurns.taskWaits': (store) => store.browserTurns.taskWaits(agentId),
  'browserTurns.wakeDue': (store) => store.browserTurns.wakeDue(),
  'browserTurns.due': (store) => store.browserTurns.due([randomUUID()]),
  'browserTurns.spare': (store) => store.browserTurns.spare(limit),
  'hosts.mostFree': (store) => store.hosts.mostFree(),
  'retention.look': (store) => store.retention.look({ keepDays: 30, maxBytesPerUser: 10 ** 9, filesKeepDays: 30 }),
  'files.leaveAged': (store) => store.files.leaveAged(30, limit),
};
