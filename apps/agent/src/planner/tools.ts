// The tools that a model may call. Names and schemas are part of the cached prefix of every request: the same for all tasks.

import { z } from 'zod';
import type { ToolDefinition } from '../model/types.ts';

const Ref = z.string().min(1).max(40).describe('A handle of the page, such as e12');

const define = <Name extends string, Schema extends z.ZodObject>(name: Name, description: string, schema: Schema) => ({
  name,
  description,
  schema,
});

const Item = z.object({
  ref: Ref,
  text: z.string().max(8000).optional().describe('For a text field: replaces what it holds'),
  option: z.string().max(500).optional().describe('For a select: the option'),
  checked: z.boolean().optional().describe('For a checkbox or radio'),
});

const Field = z.object({
  name: z.string().min(1).max(100),
  css: z.string().max(2000).optional(),
  attribute: z.string().max(100).optional(),
  type: z.enum(['text', 'number', 'boolean']).optional(),
});

export const toolTable = {
  open: define('open', 'Open an address.', z.object({ url: z.string().max(2000), new_tab: z.boolean().optional() })),
  go: define('go', 'Go back, forward, or reload.', z.object({ to: z.enum(['back', 'forward', 'reload']) })),
  click: define(
    'click',
    'Click an element. Say irreversible where it pays, orders, sends, publishes or deletes.',
    z.object({ ref: Ref, count: z.int().min(1).max(2).optional(), irreversible: z.boolean().optional() }),
  ),
  fill: define(
    'fill',
    'Fill fields of a form, all at once. Then press a key, if the form is sent by one.',
    z.object({ items: z.array(Item).min(1).max(10), then_press: z.string().max(50).optional() }),
  ),
  choose: define(
    'choose',
    'Choose an option of a list, or of what a field suggests while it is typed into: types, waits, and takes the best match.',
    z.object({ ref: Ref, option: z.string().min(1).max(500) }),
  ),
  press: define(
    'press',
    'Press a key, such as Enter or Escape.',
    z.object({ key: z.string().min(1).max(50), ref: Ref.optional() }),
  ),
  hover: define('hover', 'Point at an element.', z.object({ ref: Ref })),
  drag: define('drag', 'Drag one element to another.', z.object({ from: Ref, to: Ref })),
  scroll: define(
    'scroll',
    'Bring an element into view, or move the page by screens (negative: up).',
    z.object({ ref: Ref.optional(), screens: z.number().min(-20).max(20).optional() }),
  ),
  upload: define(
    'upload',
    'Give a file of the task to a file field.',
    z.object({ ref: Ref, file: z.string().min(1).max(500) }),
  ),
  download: define('download', 'Click what starts a download, and keep the file.', z.object({ ref: Ref })),
  tab: define(
    'tab',
    'Bring a tab to the front, or close it.',
    z.object({ page: z.string().min(1).max(200), close: z.boolean().optional() }),
  ),
  answer_dialog: define(
    'answer_dialog',
    'Answer the dialog that the page has open.',
    z.object({ accept: z.boolean(), text: z.string().max(2000).optional() }),
  ),
  wait: define(
    'wait',
    'Wait until the page shows a text or has an address, or for seconds. Give one of the three.',
    z.object({
      text: z.string().min(1).max(500).optional(),
      url: z.string().min(1).max(2000).optional(),
      secs: z.number().min(0).max(60).optional(),
    }),
  ),
  extract: define(
    'extract',
    'Read data of the page into the result: the text or table of an element, its attributes, or records (each: css of one record).',
    z.object({
      kind: z.enum(['text', 'table', 'attributes', 'records']),
      as: z.string().min(1).max(100),
      ref: Ref.optional(),
      each: z.string().max(2000).optional(),
      fields: z.array(Field).max(30).optional(),
    }),
  ),
  look: define('look', 'See a picture of the page with the next look.', z.object({})),
  remember: define(
    'remember',
    'Keep a fact that later steps need. Pages are not kept.',
    z.object({ text: z.string().min(1).max(500) }),
  ),
  plan: define(
    'plan',
    'Show people what you intend and how far you are.',
    z.object({
      items: z
        .array(z.object({ text: z.string().min(1).max(200), state: z.enum(['open', 'now', 'done', 'dropped']) }))
        .min(1)
        .max(12),
    }),
  ),
  ask: define(
    'ask',
    'Ask a person and wait for the answer. With until_text or until_url the wait also ends when the page shows it, as after a login.',
    z.object({
      question: z.string().min(1).max(2000),
      kind: z
        .enum(['text', 'choice', 'yes_no', 'wheel'])
        .optional()
        .describe(
          'choice: give choices. wheel: the person takes the browser, for example to log in. text unless given',
        ),
      choices: z.array(z.string().min(1).max(200)).min(2).max(8).optional().describe('Only with kind choice'),
      until_text: z.string().min(1).max(500).optional(),
      until_url: z.string().min(1).max(2000).optional(),
    }),
  ),
  finish: define(
    'finish',
    'End the task, alone and after you saw the result of the last act. data holds what was asked for.',
    z.object({
      state: z.enum(['done', 'partial', 'impossible']),
      summary: z.string().min(1).max(4000),
      // Any JSON: a schema of it would refer to itself, which some vendors do not follow.
      data: z.unknown().optional(),
    }),
  ),
} as const;
export type ToolName = keyof typeof toolTable;
export type ToolInput<Name extends ToolName> = z.output<(typeof toolTable)[Name]['schema']>;

/** In the order in which they are sent, always the same. */
export const tools: ToolDefinition[] = Object.values(toolTable);
/** What the last call of a budget may do. */
export const endingTools: ToolDefinition[] = [toolTable.finish];
