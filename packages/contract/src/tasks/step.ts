// Steps: the actions of a task.

import { z } from 'zod';
import { mentionsSecret, secretRefOf } from '../types/secret-name.ts';
import { taskLimits } from '../types/sizes.ts';
import { text } from '../types/text.ts';
import { WebUrl } from '../types/url.ts';

const Name = text(500, 1);

/**
 * The frame of the page it is in: by the host or the origin of its document, or by the name or title of the frame. Only
 * with it is something meant that is in a frame of another site, and only by host or origin a field for secrets there.
 */
const frame = Name.optional();

/** Words of the row, card, list item or section that it is in: they tell it from others of its name. */
const within = Name.optional();

/** An element of the page. A plain string is its visible name; `ref` is from the latest observation of the page. */
export const Target = z
  .union([
    Name,
    z.strictObject({ role: text(50, 1).optional(), name: Name, within, frame }),
    z.strictObject({ text: Name, within, frame }),
    z.strictObject({ label: Name, within, frame }),
    z.strictObject({ css: text(2000, 1), within, frame }),
    z.strictObject({ ref: text(100, 1), frame }),
  ])
  .meta({ id: 'Target' });
export type Target = z.infer<typeof Target>;

const sights = [
  z.strictObject({ text: Name }),
  z.strictObject({ selector: text(2000, 1) }),
  z.strictObject({ url: text(2000, 1) }),
] as const;

/** A condition of the page. */
export const Condition = z.union(sights).meta({ id: 'Condition' });
export type Condition = z.infer<typeof Condition>;

/** The longest single wait; a longer one is a question to a person, or another task. */
const maxWaitSecs = 600;

const WaitFor = z.union([
  ...sights,
  z.strictObject({ idle: z.literal(true) }),
  z.strictObject({ secs: z.number().min(0).max(maxWaitSecs) }),
]);

const PageRef = text(200, 1);
const Distance = z.int().min(-100_000).max(100_000);

/** Where in a record a value is found, and what it is read as. Without css it is the record itself. */
const Field = z.strictObject({
  css: text(2000, 1).optional(),
  attribute: text(100, 1).optional(),
  type: z.enum(['text', 'number', 'boolean']).optional(),
});

const step = <Action extends string, Shape extends z.ZodRawShape>(action: Action, shape: Shape) =>
  z.object({
    action: z.literal(action),
    ...shape,
    /** Shown to viewers while it runs. */
    title: text(200, 1).optional(),
    /** Submits, pays, sends, deletes: never repeated without a check, also if it is unknown whether it happened. */
    irreversible: z.boolean().optional(),
  });

/** What a step can ask for: see the kinds of a question. */
const AskKind = z.enum(['question', 'choice', 'yes_no', 'drive']);

const hasFittingChoices = ({ kind, choices }: { kind?: string; choices?: string[] }): boolean =>
  choices === undefined ? kind !== 'choice' : kind === 'choice' && new Set(choices).size === choices.length;

const secretAlone =
  'a secret is named only as the whole text that is typed, such as type "{{secret:github}}" into "Password"';

/** The words of a step, each with the field that it is in. */
function wordsOf(value: unknown, path: string[] = []): { path: string[]; said: string }[] {
  if (typeof value === 'string') return [{ path, said: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => wordsOf(item, [...path, name]));
}

/** The field that names a secret where none is typed; undefined where there is none. */
function misplacedSecret(step: { action: string }): string[] | undefined {
  const isTyped = (path: string[], said: string) =>
    step.action === 'type' && path.length === 1 && path[0] === 'text' && secretRefOf(said) !== undefined;
  return wordsOf(step).find(({ path, said }) => mentionsSecret(said) && !isTyped(path, said))?.path;
}

/** One action of the browser. */
export const Step = z
  .discriminatedUnion('action', [
    step('navigate', { url: WebUrl }),
    step('back', {}),
    step('forward', {}),
    step('reload', {}),
    step('click', { target: Target }),
    step('double_click', { target: Target }),
    step('hover', { target: Target }),
    step('type', { target: Target, text: text(20_000) }),
    step('press', { key: text(50, 1), target: Target.optional() }),
    step('select', { target: Target, option: text(500) }),
    step('check', { target: Target, checked: z.boolean() }),
    step('upload', { target: Target, file: text(500, 1) }),
    /** A target is brought into view; without one the page moves by the distances, in CSS pixels. */
    step('scroll', { target: Target.optional(), delta_x: Distance.optional(), delta_y: Distance.optional() }),
    step('drag', { from: Target, to: Target }),
    step('wait', { for: WaitFor, timeout_secs: z.int().min(1).max(maxWaitSecs).optional() }),
    /** `as` names the value in the result of the task. Without a target the whole page is read. */
    step('extract', {
      kind: z.enum(['text', 'table', 'attributes', 'records']),
      target: Target.optional(),
      as: text(100, 1),
      /** For records: what each of them is, and its values by name. */
      each: text(2000, 1).optional(),
      fields: z.record(text(100, 1), Field).optional(),
    }),
    step('screenshot', {}),
    step('new_page', { url: WebUrl.optional() }),
    step('close_page', { page: PageRef.optional() }),
    step('focus_page', { page: PageRef }),
    step('answer_dialog', { accept: z.boolean(), text: text(2000).optional() }),
    step('download', { target: Target }),
    /** Waits for a person. `until` ends the wait without an answer, once the page shows that the work is done. */
    step('ask', {
      question: text(2000, 1),
      until: Condition.optional(),
      /** `choice` has `choices`, and only it has. Without a kind: words, or with `until` something to do in the browser. */
      kind: AskKind.optional(),
      choices: z.array(text(200, 1)).min(2).max(8).optional(),
    }).refine(hasFittingChoices, {
      path: ['choices'],
      message: 'must be given for kind choice, all different, and for no other kind',
    }),
  ])
  .superRefine((step, context) => {
    const path = misplacedSecret(step);
    if (path) context.addIssue({ code: 'custom', path, message: secretAlone });
  })
  .meta({ id: 'Step' });
export type Step = z.infer<typeof Step>;
export type Action = Step['action'];

export const maxSteps = taskLimits.steps.most;

export const Plan = z.object({ steps: z.array(Step).max(maxSteps) }).meta({ id: 'Plan' });
export type Plan = z.infer<typeof Plan>;
