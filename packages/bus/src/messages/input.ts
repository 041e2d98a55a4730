// Input of a person, as it is sent to the host: in order, each once.

import { z } from 'zod';

const Coordinate = z.number().min(-100_000).max(100_000);
const at = { x: Coordinate, y: Coordinate };
const button = { button: z.enum(['left', 'middle', 'right']).default('left') };
const modifiers = { modifiers: z.array(z.enum(['Alt', 'Control', 'Meta', 'Shift'])).default([]) };
const delta = { delta_x: Coordinate.default(0), delta_y: Coordinate.default(0) };

export const Input = z.discriminatedUnion('action', [
  z.object({ action: z.literal('move'), ...at, ...modifiers }),
  z.object({ action: z.literal('click'), ...at, ...button, ...modifiers }),
  z.object({ action: z.literal('double_click'), ...at, ...button, ...modifiers }),
  z.object({ action: z.literal('down'), ...at, ...button, ...modifiers }),
  z.object({ action: z.literal('up'), ...at, ...button, ...modifiers }),
  z.object({ action: z.literal('scroll'), x: Coordinate.optional(), y: Coordinate.optional(), ...delta, ...modifiers }),
  z.object({ action: z.literal('type'), text: z.string() }),
  /** Text that an input method is composing; `type` ends it. */
  z.object({ action: z.literal('compose'), text: z.string() }),
  z.object({ action: z.literal('key'), key: z.string(), ...modifiers }),
  z.object({ action: z.literal('paste'), text: z.string() }),
  z.object({ action: z.literal('navigate'), url: z.string() }),
  z.object({ action: z.literal('back') }),
  z.object({ action: z.literal('forward') }),
  z.object({ action: z.literal('reload') }),
  z.object({ action: z.literal('new_page'), url: z.string().optional() }),
  /** A page that no program sees. `keep`: what sites store of it is the session's when the driver leaves. */
  z.object({ action: z.literal('new_private_page'), url: z.string().optional(), keep: z.boolean() }),
  z.object({ action: z.literal('close_page'), page: z.string().optional() }),
  z.object({ action: z.literal('focus'), page: z.string() }),
  /** With an id, only for the dialog, chooser or field of that id in the session's view. */
  z.object({
    action: z.literal('answer_dialog'),
    accept: z.boolean(),
    text: z.string().optional(),
    dialog_id: z.string().optional(),
  }),
  /** Names of files that were sent before, for the open file chooser. */
  z.object({ action: z.literal('choose_files'), files: z.array(z.string()), chooser_id: z.string().optional() }),
  z.object({ action: z.literal('choose_option'), select_id: z.string(), option: z.int().nonnegative().nullable() }),
  z.object({ action: z.literal('set_value'), picker_id: z.string(), value: z.string() }),
]);
export type Input = z.output<typeof Input>;

/**
 * `seq` rises by one with each input of a driver, so that one sent again is done once, and none overtakes another. 0:
 * after all input before it, for a client that does not count; sent again, it is done again.
 */
export const NumberedInput = z.object({ seq: z.int().nonnegative(), input: Input });
export type NumberedInput = z.output<typeof NumberedInput>;
