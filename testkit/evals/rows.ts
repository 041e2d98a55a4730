// Reads from the rows of decisions how often a model did the same in a row.
import pg from 'pg';

type Call = { name: string; input: unknown; steps?: unknown };

/** The longest row of equal acts within one task; what was refused is no act. */
export async function mostEqualActs(databaseUrl: string, taskIds: string[]): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ task_id: string; actions: { calls: Call[] } }>(
      'select task_id, actions from decisions where task_id = any($1) order by task_id, number',
      [taskIds],
    );
    let [most, row, last] = [0, 0, ''];
    for (const { task_id, actions } of rows) {
      const acts = actions.calls.filter(({ steps }) => steps !== undefined);
      for (const { name, input } of acts) {
        const key = JSON.stringify([task_id, name, input]);
        row = key === last ? row + 1 : 1;
        last = key;
        most = Math.max(most, row);
      }
    }
    return most;
  } finally {
    await client.end();
  }
}
