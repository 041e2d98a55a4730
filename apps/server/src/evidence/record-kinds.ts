// The list of record kinds. Another kind is one file with a RecordKind, its body in the contract, and one line here.

import { actRecords } from './act.records.ts';
import { approvalRecords } from './approval.records.ts';
import type { RecordKind } from './drafts.ts';
import { decisionRecords, modelCallRecords } from './model.records.ts';
import { observationRecords } from './observation.records.ts';
import { messageRecords, questionRecords, takeoverRecords } from './people.records.ts';
import { executionRecords, fileRecords } from './task.records.ts';

/** Between the record of the task and that of its outcome. Of the same time, the kind named first comes first. */
export const recordKinds: readonly RecordKind[] = [
  fileRecords,
  executionRecords,
  messageRecords,
  modelCallRecords,
  decisionRecords,
  actRecords,
  observationRecords,
  questionRecords,
  approvalRecords,
  takeoverRecords,
];
