import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { looks } from '../../testing/looks.ts';
import { explain, type PlanNode, watchQueries } from '../../testing/queries.ts';
import { seedSessions } from '../../testing/stored-sessions.ts';
import { openStore, type Store } from '../index.ts';

const stored = 20_000;
const live = 40;
/** Tables that keep what has ended. */
const growing = /^(sessions|session_seq|tasks|browsers|executions|takeovers|recorded_frames|steps|events.*)$/;

describe('what the timers of agents ask', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    await seedSessions(database.url, { stored, live, recordedEvery: 10, waiting: 2 });
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 1, onError: () => {} });
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });

  const ofGrowingTable = (node: PlanNode) => growing.test(node['Relation Name'] ?? '');
  const rowsRead = (node: PlanNode) =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

  async function scansOf(look: (store: Store) => Promise<unknown>, mode: 'custom' | 'generic') {
    const watch = watchQueries();
    await look(store).finally(watch.close);
    assert.ok(watch.sent.length > 0);
    const plans = await Promise.all(watch.sent.map((query) => explain(database.url, query, mode)));
    const scans = plans.flatMap(({ nodes }) =>
      nodes.filter((node) => ofGrowingTable(node) && /Scan/.test(node['Node Type'])),
    );
    const rows = scans.reduce((sum, node) => sum + rowsRead(node), 0);
    return { scans, rows, pages: plans.reduce((sum, { pagesTouched }) => sum + pagesTouched, 0) };
  }

  for (const [name, look] of Object.entries(looks)) {
    it(`${name} reads as many rows as are live, and not what is stored`, async () => {
      for (const mode of ['custom', 'generic'] as const) {
        const { scans, rows, pages } = await scansOf(look, mode);
        assert.deepEqual(
          scans.filter((node) => node['Node Type'].endsWith('Seq Scan')),
          [],
          mode,
        );
        assert.ok(rows <= 6 * live, `${mode}: ${rows} rows for ${live} live sessions`);
        assert.ok(pages <= 15 * live, `${mode}: ${pages} pages`);
      }
    });
  }

  it('no browser is read while hosts and rows agree and none is unused', async () => {
    for (const name of ['browsers.unused', 'browsers.orphans', 'browsers.hostsWithOldDriver']) {
      const look = looks[name];
      assert.ok(look);
      assert.equal((await scansOf(look, 'generic')).rows, 0, name);
    }
  });

  it('spare browsers are looked for among the sessions that rest, not among all live sessions', async () => {
    const look = looks['browserTurns.spare'];
    assert.ok(look);
    // As `seedSessions` makes them: two of ten live sessions have no task.
    const resting = (2 * live) / 10;
    for (const mode of ['custom', 'generic'] as const) {
      const { scans } = await scansOf(look, mode);
      const read = scans
        .filter((node) => node['Relation Name'] === 'sessions')
        .reduce((sum, node) => sum + rowsRead(node), 0);
      assert.ok(read <= resting, `${mode}: ${read} sessions read, ${resting} rest`);
    }
  });
});
