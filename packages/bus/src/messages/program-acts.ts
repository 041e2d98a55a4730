// What a program did to the browser of a session, as its host saw it at the door: told after it was done, in the order in which it
// was done. It must never hold what was typed into a field for secrets.

import { z } from 'zod';
import { DecodeError } from '../wire/codec.ts';
import { Epoch } from './heartbeat.ts';

/** The most acts in one report. */
export const maxActsPerReport = 50;
/** What a host cuts off. A word that it strikes afterwards may be replaced by a longer one, so more is taken on arrival. */
export const actLimits = { urlChars: 2000, nameChars: 200, textChars: 2000, errorChars: 300 } as const;
const words = (chars: number) => z.string().max(4 * chars);

const Coordinate = z.number().min(-1e6).max(1e6);
const Point = z.object({ x: Coordinate, y: Coordinate });
const Millis = z.int().nonnegative().max(86_400_000);
const Chars = z.int().nonnegative();

/** The element that was meant, as the page shows it. */
export const SeenElement = z.object({
  role: words(50),
  name: words(actLimits.nameChars),
  box: Point.extend({ width: Coordinate, height: Coordinate }).nullable(),
});
export type SeenElement = z.output<typeof SeenElement>;

const actKinds = [
  'navigate',
  'reload',
  'history',
  'click',
  'double_click',
  'drag',
  'scroll',
  'type',
  'press',
  'new_page',
  'close_page',
  'answer_dialog',
  /** Several acts of other kinds, which came faster than they are told. */
  'several',
] as const;

export const ProgramAct = z.object({
  kind: z.enum(actKinds),
  /** `unanswered`: Chromium had not said how it ended when this was told. */
  outcome: z.enum(['done', 'refused', 'failed', 'unanswered']),
  error: words(actLimits.errorChars).nullable(),
  /** Before the report was sent. */
  ago_ms: Millis,
  run_ms: Millis,
  /** How many acts are told as this one. */
  count: z.int().positive(),
  url: words(actLimits.urlChars).optional(),
  element: SeenElement.optional(),
  /** Where it was dragged to. */
  to: SeenElement.optional(),
  point: Point.optional(),
  button: z.enum(['left', 'middle', 'right', 'other']).optional(),
  delta: Point.optional(),
  key: words(50).optional(),
  /** What was typed. Absent where the field is one for secrets, or the host cannot say which field it was. */
  text: words(actLimits.textChars).optional(),
  /** The length of it. Absent where the field is one for secrets. */
  chars: Chars.optional(),
  accept: z.boolean().optional(),
});
export type ProgramAct = z.output<typeof ProgramAct>;

export const ProgramReport = z.object({ epoch: Epoch, acts: z.array(ProgramAct).min(1).max(maxActsPerReport) });
export type ProgramReport = z.output<typeof ProgramReport>;

export const encodeProgramReport = (report: ProgramReport): Uint8Array => Buffer.from(JSON.stringify(report));

export function decodeProgramReport(bytes: Uint8Array): ProgramReport {
  try {
    return ProgramReport.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw new DecodeError('a report of a program that cannot be read', { cause });
  }
}
