// Input of a person, and the route that a front end shows.

import { z } from 'zod';
import { givenFiles } from '../tasks/given-files.ts';
import { ClientId } from '../tasks/takeover.ts';
import { BrowserRoute } from '../tasks/view.ts';
import { Count } from '../types/count.ts';
import { IdParam } from '../types/id.ts';
import { sizes } from '../types/sizes.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';
import { WebUrl } from '../types/url.ts';

const InputSeq = z.int().min(1);
const PageRef = text(200, 1);
/** The id of a dialog, chooser or field in `DriverView`. */
const AskedRef = text(100, 1);

/** The session of the path counts, whatever this says. */
const RouteSync = z.object({
  session: IdParam.optional(),
  page: PageRef.nullable().default(null),
  frame: text(200).nullable().default(null),
  url: text(8192).nullable().default(null),
  title: text(1000).nullable().default(null),
});

const Coordinate = z.number().min(-100_000).max(100_000);
const Modifiers = z
  .array(z.enum(['Alt', 'Control', 'Meta', 'Shift']))
  .max(4)
  .default([]);

const at = { x: Coordinate, y: Coordinate };
const button = { button: z.enum(['left', 'middle', 'right']).default('left') };
const modifiers = { modifiers: Modifiers };

/**
 * Input has the id of the takeover and a number chosen by the client, so that a retry is never typed twice and parallel
 * requests never change their order: 1 for the first under an epoch of the takeover, and one more for each that
 * follows. If the takeover has a `client_id`, counted input names the same: a window that no longer drives is refused.
 * With the `epoch` under which it was made, input is refused where the browser was opened again since: the page may be another.
 */
const input = <Action extends string, Shape extends z.ZodRawShape>(action: Action, shape: Shape) =>
  z.object({
    action: z.literal(action),
    ...shape,
    takeover_id: IdParam.optional(),
    client_id: ClientId.optional(),
    epoch: Count.optional(),
    input_seq: InputSeq.optional(),
  });

/** One use of the pointer. A body without `action` is a route sync. */
export const PointerAction = z
  .discriminatedUnion('action', [
    z.object({
      action: z
        .literal('route')
        .optional()
        .transform(() => 'route' as const),
      route: RouteSync,
    }),
    input('focus', { page: PageRef }),
    input('move', { ...at, ...modifiers }),
    input('click', { ...at, ...button, ...modifiers }),
    input('double_click', { ...at, ...button, ...modifiers }),
    input('down', { ...at, ...button, ...modifiers }),
    input('up', { ...at, ...button, ...modifiers }),
    input('scroll', {
      x: Coordinate.optional(),
      y: Coordinate.optional(),
      delta_x: Coordinate.default(0),
      delta_y: Coordinate.default(0),
      ...modifiers,
    }),
    input('type', { text: text(10_000, 1) }),
    /** Text that an input method is composing; `type` ends it. */
    input('compose', { text: text(1000) }),
    input('key', { key: text(50, 1), ...modifiers }),
    input('paste', { text: text(50_000, 1) }),
    input('navigate', { url: WebUrl }),
    input('back', {}),
    input('forward', {}),
    input('reload', {}),
    input('new_page', { url: WebUrl.optional() }),
    /**
     * A tab that no program of the session sees, nor what is done in it. With `keep`, cookies and what sites store are the
     * session's when the person hands back; without, nothing of it is.
     */
    input('new_private_page', { url: WebUrl.optional(), keep: z.boolean().default(true) }),
    input('close_page', { page: PageRef.optional() }),
    /** Answers a dialog of the page, such as `confirm()`. With `dialog_id` that one, and no other. */
    input('answer_dialog', { accept: z.boolean(), text: text(2000).optional(), dialog_id: AskedRef.optional() }),
    /** For the file chooser that a click has opened; without files it is closed. With `chooser_id` only that one. */
    input('choose_files', { files: givenFiles(sizes.chooserFilesKib), chooser_id: AskedRef.optional() }),
    /** Chooses an option of the open list by its index; null closes the list. */
    input('choose_option', { select_id: AskedRef, option: z.int().min(0).max(1_000_000).nullable() }),
    /** Sets the value of the input that is picked from, in the form in which the page reads it; empty clears it. */
    input('set_value', { picker_id: AskedRef, value: text(100) }),
  ])
  .meta({ id: 'PointerAction' });
export type PointerAction = z.infer<typeof PointerAction>;

/** One action, or up to 64 in order. Either way the handler gets a list. */
export const PointerRequest = z
  .union([PointerAction, z.object({ actions: z.array(PointerAction).min(1).max(sizes.inputActions) })])
  .transform((body) => ('actions' in body ? body : { actions: [body] }))
  .meta({ id: 'PointerRequest' });
export type PointerRequest = z.infer<typeof PointerRequest>;

/** `seq`: for input, the last that is done; otherwise the number in the session's log. */
export const Pointer = z.object({ route: BrowserRoute, updated_at: Timestamp, seq: Count }).meta({ id: 'Pointer' });
export type Pointer = z.infer<typeof Pointer>;
