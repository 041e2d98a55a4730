import { z } from 'zod';
import { Problem } from './errors.ts';
import { LiveEvent, TaskEvent } from './events.ts';
import { Cursor } from './query.ts';
import { text } from './text.ts';

/** The most streams that one response carries. */
export const maxBundled = 100;

const spelling = /^((live|task):([^@~]{1,100})(?:~\w{1,20})?)(?:@(.{1,512}))?$/s;

/**
 * A stream in a bundle: `live:<session id>` or `task:<task id>`. `@<cursor>` behind it says where it goes on, and
 * `~<tag>` before that tells two places of one stream apart.
 */
const BundledStream = text(700, 1).regex(spelling);

/** The parts of such a text; nothing, for what is none. */
export function readBundledStream(text: string) {
  const [, name, kind, id, cursor] = spelling.exec(text) ?? [];
  if (name === undefined || id === undefined) return undefined;
  return { name, kind: kind === 'live' ? ('live' as const) : ('task' as const), id, cursor };
}

const isNamedOnce = (streams: string[]) =>
  new Set(streams.map((stream) => readBundledStream(stream)?.name)).size === streams.length;

// Named once in a query, it arrives as a text; a caller of the SDK always gives a list.
const Streams = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(BundledStream).min(1).max(maxBundled).refine(isNamedOnce, 'names a stream twice'),
) as unknown as z.ZodType<string[], string[]>;

export const BundleQuery = z.object({ stream: Streams });

/** `stream` is its name as it was asked for, without the cursor. `cursor` is null on events that are not in the log. */
const bundled = <Kind extends string, Event extends z.ZodType>(kind: Kind, event: Event) =>
  z.object({ type: z.literal(kind), stream: z.string(), cursor: Cursor.nullable(), event });

/** What several streams say in one response. One that may not be followed is refused for itself. */
export const BundledEvent = z
  .discriminatedUnion('type', [
    bundled('live', LiveEvent),
    bundled('task', TaskEvent),
    z.object({ type: z.literal('refused'), stream: z.string(), problem: Problem }),
  ])
  .meta({ id: 'BundledEvent' });
export type BundledEvent = z.infer<typeof BundledEvent>;
