// The lists of administrators: all users, hosts, agents, tasks, and the audit. Each page is read along an index.

import type { Database } from '../db/db.ts';
import { createAllTasks } from './all-tasks.ts';
import { createAuditReads } from './audit-reads.ts';
import { createFleetReads } from './fleet-reads.ts';
import { createUserReads } from './user-reads.ts';

export const createAdminReads = (database: Database) => ({
  ...createUserReads(database),
  ...createFleetReads(database),
  ...createAllTasks(database),
  ...createAuditReads(database),
});
