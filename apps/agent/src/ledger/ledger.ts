// Everything that a run writes: attempts, evidence, questions and the end of a task, each with its events in one transaction;
// and the watch over the tasks that may still write.

import type { Store } from '@pilothouse/store';
import { createApprovalLedger } from './approvals.ts';
import { createAttempts } from './attempts.ts';
import { createDecisionLedger } from './decisions.ts';
import { createHeldTask } from './held-task.ts';
import type { LedgerCounts } from './ledger-metrics.ts';
import { createPlanLedger } from './plans.ts';
import { createQuestions } from './questions.ts';
import { createStepLedger } from './steps.ts';
import { createTaskEnd } from './task-end.ts';
import { createTaskWatch } from './task-watch.ts';

type Options = { store: Store; questionSecs: number; fileBytesPerUser: number; counts?: LedgerCounts };

export function createLedger({ store, questionSecs, fileBytesPerUser, counts }: Options) {
  const heldTask = createHeldTask(store, counts);
  const attempts = createAttempts({ store, heldTask });
  return {
    ...createStepLedger({ store, heldTask, attempts, fileBytesPerUser }),
    ...createDecisionLedger({ store }),
    ...createPlanLedger({ store, questionSecs }),
    ...createQuestions({ store, heldTask, attempts, questionSecs }),
    ...createApprovalLedger({ store, heldTask, attempts, questionSecs }),
    ...createTaskEnd({ store, counts }),
    ...createTaskWatch({ store }),
  };
}
export type Ledger = ReturnType<typeof createLedger>;
