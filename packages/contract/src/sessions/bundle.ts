// Bundles: several streams in one response.

import { z } from 'zod';
import { Problem } from '../types/errors.ts';
import { Cursor } from '../types/query.ts';
import { text } from '../types/text.ts';
import { InboxEvent, LiveEvent, TaskEvent } from './events.ts';
import { maxBundled, maxPlaces, readBundledStream, spelling } from './stream-names.ts';

/**
 * A stream in a bundle: `live:<session id>`, `task:<task id>` or `inbox:me`. A following `@<cursor>` says where it continues, and
 * `~<tag>` before that distinguishes two positions of one stream.
 */
const BundledStream = text(700, 1).regex(spelling);

const isNamedOnce = (streams: string[]) =>
  new Set(streams.map((stream) => readBundledStream(stream)?.name)).size === streams.length;

const hasFewPlaces = (streams: string[]) => {
  const counts = new Map<string, number>();
  for (const text of streams) {
    const { kind, id } = readBundledStream(text) ?? {};
    counts.set(`${kind}:${id}`, (counts.get(`${kind}:${id}`) ?? 0) + 1);
  }
  return Math.max(...counts.values()) <= maxPlaces;
};

// A single value in a query arrives as text; a caller of the SDK always passes a list.
const Streams = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z
    .array(BundledStream)
    .min(1)
    .max(maxBundled)
    .refine(isNamedOnce, 'names a stream twice')
    .refine(hasFewPlaces, `names a stream at more than ${maxPlaces} places`),
) as unknown as z.ZodType<string[], string[]>;

export const BundleQuery = z.object({ stream: Streams });

/** `stream` is the name in the request, without the cursor. `cursor` is null on events from which a stream cannot resume. */
const bundled = <Kind extends string, Event extends z.ZodType>(kind: Kind, event: Event) =>
  z.object({ type: z.literal(kind), stream: z.string(), cursor: Cursor.nullable(), event });

/** The events of several streams in one response. A stream that may not be followed is refused alone. */
export const BundledEvent = z
  .discriminatedUnion('type', [
    bundled('live', LiveEvent),
    bundled('task', TaskEvent),
    bundled('inbox', InboxEvent),
    z.object({ type: z.literal('refused'), stream: z.string(), problem: Problem }),
  ])
  .meta({ id: 'BundledEvent' });
export type BundledEvent = z.infer<typeof BundledEvent>;
