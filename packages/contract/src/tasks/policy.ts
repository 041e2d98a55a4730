// The policy of a task: which acts need a yes of a person, which are refused, and the yes to one act.

import { z } from 'zod';
import { Uuid7 } from '../types/id.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';
import { actClasses, approvalAnswers, policyModes } from './act-classes.ts';

export const ActClass = z.enum(actClasses).meta({ id: 'ActClass' });
export type ActClass = z.infer<typeof ActClass>;

/**
 * `standard` asks before an act commits a person or gives a file away, and before a model goes to a site that nobody named;
 * `careful` also before a form is sent, a file is taken, a secret is written or a dialog is agreed to; `watch` does as
 * `careful`, and acts only while a person watches. `free` asks nothing, and is for administrators.
 */
export const PolicyMode = z.enum(policyModes).meta({ id: 'PolicyMode' });
export type PolicyMode = z.infer<typeof PolicyMode>;

export const ApprovalAnswer = z.enum(approvalAnswers).meta({ id: 'ApprovalAnswer' });
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** A host name stands for itself and all names below it. */
const Host = text(253, 1)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, 'must be a host name')
  .refine((name) => URL.canParse(`http://${name}/`), 'must be a host name');
const Hosts = z.array(Host).max(100).optional();

/**
 * Rules that a task or a user adds. The strictest of the installation, the user and the task holds, so that a list can only
 * take away. Everything that is absent adds nothing.
 */
export const Policy = z
  .strictObject({
    mode: PolicyMode.optional(),
    /** Only these hosts; absent or empty: every host. */
    allow: Hosts,
    /** Never these. */
    deny: Hosts,
    /** Nothing is changed there. */
    read_only: Hosts,
    /** Acts that change anything happen there only while a person watches. */
    watch: Hosts,
  })
  .meta({ id: 'Policy' });
export type Policy = z.infer<typeof Policy>;

/** What holds in the end, with every list. */
export const PolicyRules = z
  .object({
    mode: PolicyMode,
    allow: z.array(z.string()),
    deny: z.array(z.string()),
    read_only: z.array(z.string()),
    watch: z.array(z.string()),
  })
  .meta({ id: 'PolicyRules' });
export type PolicyRules = z.infer<typeof PolicyRules>;

/** What the policy said of an act, when it came to it. */
export const PolicyVerdict = z
  .object({
    class: ActClass,
    /** `ask`: a person was asked, or has said yes where `approved_by` is there. */
    outcome: z.enum(['allow', 'ask', 'deny']),
    sentence: z.string(),
    /** The name of the person who said yes. */
    approved_by: z.string().optional(),
  })
  .meta({ id: 'PolicyVerdict' });
export type PolicyVerdict = z.infer<typeof PolicyVerdict>;

/**
 * The one act that a person is asked about. The yes holds for it as it is described here: where any of it changes before the
 * act, the yes is void and the person is asked again. Names, value, amounts and addresses are text of the page: not checked.
 */
export const Approval = z
  .object({
    id: Uuid7,
    class: ActClass,
    /** A sentence. */
    why: z.string(),
    /** The act in words, such as `Click "Place order"`. */
    action: z.string(),
    role: z.string().nullable(),
    name: z.string().nullable(),
    /** What is typed, chosen or uploaded; null where there is none, and where it is a secret. */
    value: z.string().nullable(),
    /** The name of the secret that is typed. */
    secret: z.string().nullable(),
    /** Origin and path of the page; null where no page is open. */
    page: z.string().nullable(),
    /** Of the document that the element is in, where it is not that of the page. */
    frame_origin: z.string().nullable(),
    /** Where the form of the element is sent. */
    form_action: z.string().nullable(),
    /** Texts around the element that look like amounts. */
    amounts: z.array(z.string()),
    /** Where the element is, in CSS pixels of the viewport. */
    bbox: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).nullable(),
    /** The newest picture of the task; null if there is none. */
    picture_path: z.string().nullable(),
    expires_at: Timestamp.nullable(),
    /** Why an earlier yes did not count: what changed on the page. Null where nothing was voided. */
    void_reason: z.string().nullable(),
  })
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;
