// What a full run has to reach, for the benches with a stated aim. Small runs have bounds of their own (small-runs.ts).
import type { BenchName, FiguresOf } from './benches.ts';

/** `is`: the figure of this run. */
export type Aim = { what: string; is: number } & ({ most: number } | { least: number });
type Aims = { [N in BenchName]?: (figures: FiguresOf<N>) => Aim[] };

const aims: Aims = {
  thinking: ({ loop_lag_ms: { beside }, resident_mb: { grown } }) => [
    { what: 'loop lag p99, ms', is: beside.p99, most: 50 },
    { what: 'memory grown, MB', is: grown, most: 200 },
  ],
  view: ({ hard: { ours }, list, table, article }) => [
    { what: 'facts of the hard page', is: ours.facts, least: 36 },
    { what: 'secrets shown', is: ours.secrets, most: 0 },
    { what: 'tokens of the hard page', is: ours.tokens, most: 650 },
    ...Object.entries({ list, table, article }).flatMap(([page, { ratio, in_view_tokens, p95_ms }]): Aim[] => [
      { what: `${page}: tokens beside Playwright`, is: ratio, most: 0.4 },
      { what: `${page}: tokens in view`, is: in_view_tokens, most: 1200 },
      { what: `${page}: p95, ms`, is: p95_ms, most: 120 },
    ]),
  ],
  loops: ({ slowest, postgres_percent_of_a_core }) => [
    { what: `slowest look (${slowest.name}), median ms`, is: slowest.p50, most: 5 },
    { what: 'PostgreSQL, percent of a core', is: postgres_percent_of_a_core, most: 5 },
  ],
  retention: ({ left, gone_after, append_ms: { alone, beside } }) => [
    ...Object.entries(left).map(([what, is]) => ({ what: `${what} left`, is, most: 0 })),
    { what: 'events gone after, ms', is: gone_after.events_ms, most: 600_000 },
    { what: 'pictures gone after, ms', is: gone_after.pictures_ms, most: 600_000 },
    { what: 'p99 of appending, times that without removals', is: beside.p99 / alone.p99, most: 2 },
  ],
};

/** Undefined where the bench states no aim. A figure that is no number misses it. */
export function judge<N extends BenchName>(
  name: N,
  figures: FiguresOf<N>,
): { good: boolean; missed: Aim[] } | undefined {
  const missed = aims[name]?.(figures).filter((aim) => !('most' in aim ? aim.is <= aim.most : aim.is >= aim.least));
  return missed && { good: missed.length === 0, missed };
}
