// Values of queries, cursors and pages.

import { z } from 'zod';
import { text } from './text.ts';

// A query value arrives as text, while a caller of the SDK and the OpenAPI document see what it means. So the schemas
// below are typed and documented as the number or boolean, and read its one plain spelling: not '1e3', '0x10' or ' 5'.

const read = <T extends z.ZodType<number | boolean>>(spelling: RegExp, schema: T, absent: z.output<T>) => {
  const parsed = z.preprocess(
    (value) => (typeof value === 'string' && spelling.test(value) ? JSON.parse(value) : value),
    // Repeated here, because the OpenAPI document leaves out the default of a converted value.
    schema.meta({ default: absent }),
  ) as unknown as z.ZodType<z.output<T>, z.output<T>>;
  // Neither a number nor a boolean is ever undefined, which the compiler cannot see through the type parameter.
  return parsed.default(() => absent as z.core.util.NoUndefined<z.output<T>>);
};

/** A whole number in a query. */
export const queryInt = (min: number, max: number, absent: number) =>
  read(/^(0|[1-9]\d{0,14})$/, z.int().min(min).max(max), absent);

/** `true` or `false` in a query. */
export const queryFlag = (absent: boolean) => read(/^(true|false)$/, z.boolean(), absent);

/** A position in a list or a stream. Opaque to clients. */
export const Cursor = text(512, 1);

/** The query of every list. */
export const Page = z.object({
  limit: queryInt(1, 200, 50),
  cursor: Cursor.optional(),
});

/** In the reply of every list; null on the last page. */
export const NextCursor = z.string().nullable();

/** Where a stream begins: the query for a new stream, the header after a lost connection. */
export const ResumeQuery = z.object({ cursor: Cursor.optional() });
export const ResumeHeaders = z.object({ 'last-event-id': Cursor.optional() });
