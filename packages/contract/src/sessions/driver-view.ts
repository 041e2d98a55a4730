// What the page in front asks of the person who drives. No other viewer gets any of it, and none of it is stored.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { Timestamp } from '../types/time.ts';

/** In CSS pixels of the viewport. */
const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** A dialog that a script of the page has opened. The page stands still until it is answered. */
export const PageDialog = z
  .object({
    dialog_id: z.string(),
    kind: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
    /** Written by the page: at most 2,000 characters, as is `default_value`. */
    message: z.string(),
    default_value: z.string(),
    /** When the host dismisses it. By the clock of the host. */
    expires_at: Timestamp,
  })
  .meta({ id: 'PageDialog' });
export type PageDialog = z.infer<typeof PageDialog>;

export const FileChooser = z
  .object({
    chooser_id: z.string(),
    multiple: z.boolean(),
    /** File endings and media types, as the page gives them: at most 20 of at most 100 characters. */
    accept: z.array(z.string()),
  })
  .meta({ id: 'FileChooser' });
export type FileChooser = z.infer<typeof FileChooser>;

/** An open `select`. Frames do not show its list. */
export const SelectList = z
  .object({
    select_id: z.string(),
    box: Box,
    /** At most 500. */
    options: z.array(
      z.object({
        /** Its place among all options of the element, hidden ones included. */
        index: Count,
        /** At most 200 characters, as is `group`. */
        text: z.string(),
        group: z.string().nullable(),
        disabled: z.boolean(),
        selected: z.boolean(),
      }),
    ),
    /** The element has more options than these. */
    truncated: z.boolean(),
  })
  .meta({ id: 'SelectList' });
export type SelectList = z.infer<typeof SelectList>;

/** An `input` that has the focus and whose value is picked rather than written. Frames do not show its picker. */
export const ValuePicker = z
  .object({
    picker_id: z.string(),
    type: z.enum(['date', 'time', 'datetime-local', 'month', 'week', 'color']),
    box: Box,
    /** As the page would read them: `2026-11-17`, `09:30`, `#0a6680`. Empty if there is none. */
    value: z.string(),
    min: z.string(),
    max: z.string(),
    step: z.string(),
  })
  .meta({ id: 'ValuePicker' });
export type ValuePicker = z.infer<typeof ValuePicker>;

export const DriverView = z
  .object({
    /** Of the takeover. */
    epoch: Count,
    /** The page in front: what follows is about it. */
    page: z.string(),
    dialog: PageDialog.nullable(),
    file_chooser: FileChooser.nullable(),
    select: SelectList.nullable(),
    picker: ValuePicker.nullable(),
  })
  .meta({ id: 'DriverView' });
export type DriverView = z.infer<typeof DriverView>;

/** Text that the page put on its clipboard while a person drove: at most 64 KiB. */
export const CopiedText = z.object({ text: z.string(), truncated: z.boolean() }).meta({ id: 'CopiedText' });
export type CopiedText = z.infer<typeof CopiedText>;
