// Turns spans of time that overlap into bands that do not: at each moment the kind that counts most.

/** `until`: null while it goes on. */
export type Span = {
  kind: 'agent' | 'person' | 'waiting' | 'failed';
  begin: Date;
  until: Date | null;
  taskId: string | null;
  stepIndex: number | null;
  /** Of the time in which a person drove. */
  holderId: string | null;
};
export type Band = {
  kind: Span['kind'] | 'idle';
  from: Date;
  to: Date | null;
  taskId: string | null;
  stepIndex: number | null;
  /** Of the time in which a person drove. */
  holderId: string | null;
};

const ranks = { person: 3, waiting: 2, failed: 1, agent: 0 } as const satisfies Record<Span['kind'], number>;

/** Without gaps, from `begin` up to `end`. */
export function bandsOf(spans: Span[], { begin, end }: { begin: Date; end: Date }): Band[] {
  const edges = [begin, end, ...spans.flatMap((span) => [span.begin, span.until ?? end])]
    .map((edge) => edge.getTime())
    .filter((edge) => edge >= begin.getTime() && edge <= end.getTime());
  const times = [...new Set(edges)].sort((one, other) => one - other);
  const bands: Band[] = [];
  for (const [index, from] of times.slice(0, -1).entries()) {
    const top = topAt(spans, from);
    const next = { from: new Date(from), to: new Date(times[index + 1] ?? from), ...aboutOf(top) };
    const last = bands.at(-1);
    if (last && isSame(last, next)) last.to = next.to;
    else bands.push(next);
  }
  return bands;
}

const topAt = (spans: Span[], at: number): Span | undefined =>
  spans
    .filter(({ begin, until }) => begin.getTime() <= at && (until === null || until.getTime() > at))
    .reduce<Span | undefined>((top, span) => (top && ranks[top.kind] >= ranks[span.kind] ? top : span), undefined);

/** Only of a failed attempt it matters which step it was. */
const aboutOf = (span: Span | undefined): Pick<Band, 'kind' | 'taskId' | 'stepIndex' | 'holderId'> => ({
  kind: span?.kind ?? 'idle',
  taskId: span?.taskId ?? null,
  stepIndex: span?.kind === 'failed' ? span.stepIndex : null,
  holderId: span?.holderId ?? null,
});

const isSame = (one: Band, other: Band): boolean =>
  one.kind === other.kind &&
  one.taskId === other.taskId &&
  one.stepIndex === other.stepIndex &&
  one.holderId === other.holderId;
