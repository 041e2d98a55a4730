import pg from 'pg';

export type SentQuery = { text: string; values: unknown[] };

/** Everything this process sends to a database from now on; until `close()`. */
export function watchQueries(): { sent: SentQuery[]; close(): void } {
  const sent: SentQuery[] = [];
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args) {
    sent.push(readQuery(args));
    return query.apply(this, args);
  };
  return {
    sent,
    close: () => {
      prototype.query = query;
    },
  };
}

function readQuery([first, second]: unknown[]): SentQuery {
  if (typeof first === 'string') return { text: first, values: Array.isArray(second) ? second : [] };
  const { text = '', values = [] } = first as Partial<SentQuery>;
  return { text, values };
}

export type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};
export type Explained = { nodes: PlanNode[]; pagesTouched: number };

/** What PostgreSQL does for a query that was sent: for its values, or for any values, as after a few repetitions. */
export async function explain(
  url: string,
  { text, values }: SentQuery,
  mode: 'custom' | 'generic',
): Promise<Explained> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set plan_cache_mode = force_${mode}_plan`);
    await client.query(`prepare asked as ${text}`);
    const given = values.map((value) => literal(value)).join(', ');
    const execute = `explain (analyze, buffers, format json) execute asked${given && `(${given})`}`;
    // The first time reads the catalogue too.
    await client.query(execute);
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(execute);
    const top = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (!top) throw new Error('no plan');
    return { nodes: flatten(top), pagesTouched: top['Shared Hit Blocks'] + top['Shared Read Blocks'] };
  } finally {
    await client.end();
  }
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.join(',')}}`);
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}
