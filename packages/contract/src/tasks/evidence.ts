// The lines of a bundle of evidence: what is recorded of a task, chained by hashes and signed.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { Uuid7 } from '../types/id.ts';
import { Json, JsonObject } from '../types/json.ts';
import { Timestamp } from '../types/time.ts';
import { Decision } from './decision.ts';
import { PlanItem } from './plan-item.ts';
import { ActClass, ApprovalAnswer } from './policy.ts';
import { TaskState } from './states.ts';
import { Step } from './step.ts';
import { Execution, ExecutionStep, Observation, Task, TaskResult } from './task.ts';
import { BrowserRoute, ImageType } from './view.ts';

/** A SHA-256 in lower-case hexadecimal. */
const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** A user, and the name that they have when the bundle is made; null if it is not known any more. */
const Person = z.object({ id: z.string(), name: z.string().nullable() }).meta({ id: 'EvidencePerson' });

/** `running`: the task had not ended, and the bundle holds what was stored so far. */
export const EvidenceState = z.enum(['finished', 'running']);

/** The first line. Its SHA-256 is `previous` of the first record. */
export const EvidenceHeader = z
  .object({
    format: z.literal('pilothouse-evidence'),
    version: z.literal(1),
    task: z.object({ id: Uuid7, session_id: Uuid7, title: z.string(), status: TaskState }),
    state: EvidenceState,
    /** The key that signs: its name, and its 32 bytes in base64. A bundle names it, and does not prove whose it is. */
    key_id: z.string(),
    public_key: z.string(),
    made_at: Timestamp,
    made_for: Person,
  })
  .meta({ id: 'EvidenceHeader' });
export type EvidenceHeader = z.infer<typeof EvidenceHeader>;

/** One record. `hash` is the SHA-256 of the canonical JSON (RFC 8785) of the other fields. */
export const EvidenceRecord = z
  .object({
    n: Count,
    /** A name of `evidenceBodies`. A later release may have others: the chain holds them all the same. */
    kind: z.string(),
    at: Timestamp,
    body: JsonObject,
    previous: Hash,
    hash: Hash,
  })
  .meta({ id: 'EvidenceRecord' });
export type EvidenceRecord = z.infer<typeof EvidenceRecord>;

/** The last line: `root` is the hash of the last record; `signature` is of `pilothouse-evidence 1 ROOT`, Ed25519 in base64. */
export const EvidenceEnd = z
  .object({ n: Count, count: Count, root: Hash, signature: z.string() })
  .meta({ id: 'EvidenceEnd' });
export type EvidenceEnd = z.infer<typeof EvidenceEnd>;

export const EvidenceLine = z.union([EvidenceHeader, EvidenceRecord, EvidenceEnd]).meta({ id: 'EvidenceLine' });
export type EvidenceLine = z.infer<typeof EvidenceLine>;

/** A key of the installation. The one that `signs` signs what is made now; the others signed earlier bundles. */
export const EvidenceKey = z
  .object({ key_id: z.string(), algorithm: z.literal('Ed25519'), public_key: z.string(), signs: z.boolean() })
  .meta({ id: 'EvidenceKey' });
export type EvidenceKey = z.infer<typeof EvidenceKey>;

/**
 * A picture that a record names: by the hash of its bytes, which stand in a record of kind `picture` before it, or why it is
 * left out. `private`: a person drove, or the page showed secrets; `removed`: it is not kept any more.
 */
export const EvidencePicture = z
  .union([
    z.object({ sha256: Hash, content_type: ImageType, recorded_at: Timestamp }),
    z.object({ left_out: z.enum(['private', 'removed', 'too_large']), recorded_at: Timestamp }),
  ])
  .meta({ id: 'EvidencePicture' });
export type EvidencePicture = z.infer<typeof EvidencePicture>;

/** What the bodies of records hold, by their kind. All of it is as it was stored: what is struck or dotted there is so here. */
export const evidenceBodies = {
  /** What was asked for, and by whom. */
  task: Task.omit({ result: true }).extend({
    created_by: Person,
    plan_items: z.array(PlanItem).nullable(),
    plan_agreed_at: Timestamp.nullable(),
  }),
  /** A file that was given to the task or that it downloaded. Its bytes are not in the bundle. */
  file: z.object({
    file_id: z.string(),
    name: z.string(),
    content_type: z.string(),
    byte_len: Count,
    /** Null if the bytes are not kept any more. */
    sha256: Hash.nullable(),
  }),
  execution: Execution.omit({ steps: true }),
  /** A call of a model, also one that failed or only made a plan. */
  model_call: z.object({
    number: Count,
    purpose: z.string(),
    model: z.string(),
    status: z.string(),
    ended_at: Timestamp.nullable(),
    input_tokens: Count,
    cached_tokens: Count,
    output_tokens: Count,
    reasoning_tokens: Count,
    cost_micros: Count,
    error: z.string().nullable(),
  }),
  /** What the model decided, and what it was shown of the page: the text as it was sent, with secrets as dots. */
  decision: Decision.extend({
    shown_text: z.string().nullable(),
    pictures: z.object({ shown: EvidencePicture.nullable() }),
  }),
  /** One attempt at a step. Pictures are of the page before it began and after it ended, where they were kept. */
  act: ExecutionStep.extend({
    execution_id: z.string(),
    /** Null if the plan does not have it any more. */
    step: Step.nullable(),
    may_have_acted: z.boolean(),
    pictures: z.object({ before: EvidencePicture.nullable(), after: EvidencePicture.nullable() }),
  }),
  observation: Observation.extend({ pictures: z.object({ seen: EvidencePicture.nullable() }) }),
  /** `answered_by` is null if nobody answered, or the page did, or an earlier release did not write it down. */
  question: z.object({
    step_id: z.string().nullable(),
    question: z.string(),
    asked_at: Timestamp,
    answer: z.string().nullable(),
    answered_at: Timestamp.nullable(),
    answered_by: Person.nullable(),
  }),
  /** An act that a person was asked to say yes to, as it was described to them, and what they said. */
  approval: z.object({
    approval_id: Uuid7,
    step_id: z.string(),
    class: ActClass,
    /** What a yes to all acts of the class would hold for. */
    site: z.string(),
    act: JsonObject,
    /** Of everything that the yes is bound to: the host acts only on what has the same. */
    fingerprint: Hash,
    asked_at: Timestamp,
    expires_at: Timestamp,
    answer: ApprovalAnswer.nullable(),
    answered_at: Timestamp.nullable(),
    answered_by: Person.nullable(),
    /** When an attempt was begun under it: at most once. */
    used_at: Timestamp.nullable(),
  }),
  message: z.object({ number: Count, text: z.string(), author: Person }),
  /** A person drove, or wanted to. What they did is not recorded. */
  takeover: z.object({
    takeover_id: z.string(),
    status: z.string(),
    holder: Person,
    requested_by: z.string(),
    reason: z.string().nullable(),
    requested_at: Timestamp,
    activated_at: Timestamp.nullable(),
    returned_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    outcome: z.string().nullable(),
    note: z.string().nullable(),
    route: BrowserRoute.nullable(),
    url_after: z.string().nullable(),
  }),
  picture: z.object({ sha256: Hash, type: ImageType, base64: z.string() }),
  /** How it ended; `state` says whether it has. */
  outcome: z.object({
    state: EvidenceState,
    status: TaskState,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
    last_error: z.string().nullable(),
    result: TaskResult.nullable(),
    open_question: Json.nullable(),
    cost: z.object({
      model_calls: Count,
      input_tokens: Count,
      cached_tokens: Count,
      output_tokens: Count,
      cost_micros: Count,
    }),
  }),
} as const;
export type EvidenceKind = keyof typeof evidenceBodies;
export type EvidenceBody<Kind extends EvidenceKind> = z.infer<(typeof evidenceBodies)[Kind]>;
