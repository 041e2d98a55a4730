import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '@pilothouse/sdk';
import { type Explained, explain, type SentQuery, watchQueries } from '@pilothouse/store/testing/queries';
import { nthTask, seedTasks } from '../../testing/many.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const password = 'a lamp in the harbour';
const few = 2000;
const many = 20_000;
type Side = { server: TestServer; client: Client; ownerId: string };

describe('frequent reads', () => {
  let small: Side;
  let large: Side;
  before(async () => {
    [small, large] = await Promise.all([openSide(few), openSide(many)]);
  });
  after(() => Promise.all([small.server.close(), large.server.close()]));

  async function openSide(count: number): Promise<Side> {
    const server = await startTestServer({ isAuthDisabled: false });
    const { user } = await server.client.register({ username: 'ada', email: 'ada@example.test', password });
    const { access_token } = await server.client.login({ username_or_email: 'ada', password });
    const other = await server.client.register({ username: 'bea', email: 'bea@example.test', password });
    await seedTasks(server.databaseUrl, user.id, count);
    await seedTasks(server.databaseUrl, other.user.id, count, count);
    const client = createClient({ baseUrl: server.baseUrl, token: () => access_token });
    return { server, client, ownerId: user.id };
  }

  /** The queries of a call. */
  async function sentBy(call: () => Promise<unknown>): Promise<SentQuery[]> {
    const watch = watchQueries();
    try {
      await call();
      return watch.sent;
    } finally {
      watch.close();
    }
  }

  const namesOf = ({ nodes }: Explained) => [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))].sort();
  const scansWhole = ({ nodes }: Explained) => nodes.filter((node) => node['Node Type'] === 'Seq Scan');

  it('a status is two queries: the caller, and the rest in one statement', async () => {
    const sent = await sentBy(() => large.client.getTaskStatus({ id: nthTask(many / 2) }));
    assert.equal(sent.length, 2, sent.map(({ text }) => text).join('\n'));
    assert.match(sent[0]?.text ?? '', /from access_tokens/);
    assert.match(sent[1]?.text ?? '', /from tasks/);
  });

  it('shows a task that has ended as it is', async () => {
    const { status } = await large.client.getTaskStatus({ id: nthTask(many / 2) });
    assert.equal(status.status, 'success');
    assert.equal(status.cursor, '30');
    assert.equal(status.cost.steps, 3);
    assert.deepEqual(
      status.agent_history.map(({ step_index }) => step_index),
      [1, 2, 3],
    );
    assert.equal(status.recent_evidence.length, 3);
  });

  for (const mode of ['custom', 'generic'] as const) {
    it(`a status uses indexes, and reads as few pages with many tasks as with few (${mode} plan)`, async () => {
      const planOf = async ({ server, client }: Side, id: string) => {
        const [, query] = await sentBy(() => client.getTaskStatus({ id }));
        assert.ok(query);
        return explain(server.databaseUrl, query, mode);
      };
      const [atFew, atMany] = [await planOf(small, nthTask(few / 2)), await planOf(large, nthTask(many / 2))];
      assert.deepEqual(scansWhole(atMany), []);
      assert.deepEqual(namesOf(atMany), [
        'decisions_pkey',
        'observations_pictures',
        'session_seq_pkey',
        'steps_pkey',
        'takeovers_standing',
        'tasks_pkey',
      ]);
      const counting = atMany.nodes.filter((node) => node['Node Type'] === 'Index Only Scan');
      assert.deepEqual(
        counting.map((node) => node['Index Name']),
        ['steps_pkey'],
        'steps are counted in their index alone',
      );
      // One more level in each of the five indexes, and nothing else.
      assert.ok(atMany.pagesTouched <= atFew.pagesTouched + 6, `${atFew.pagesTouched}, ${atMany.pagesTouched} pages`);
      assert.ok(atMany.pagesTouched < 40, `${atMany.pagesTouched} pages`);
    });
  }

  // For each list: its request, and the index of its rows.
  type List = { name: string; ask: (client: Client) => Promise<unknown>; index: string };
  const lists: List[] = [
    { name: 'sessions', ask: (client) => client.listSessions(), index: 'sessions_of_owner' },
    {
      name: 'sessions of a state that none is in',
      ask: (client) => client.listSessions({ status: 'takeover' }),
      index: 'sessions_of_owner_by_status',
    },
    { name: 'tasks', ask: (client) => client.listTasks(), index: 'tasks_of_owner' },
    {
      name: 'tasks of a state that none is in',
      ask: (client) => client.listTasks({ status: 'failed' }),
      index: 'tasks_of_owner',
    },
    {
      name: 'observations',
      ask: (client) => client.listObservations({ id: nthTask(7) }),
      index: 'observations_task_id_seq_key',
    },
    { name: 'logs', ask: (client) => client.listLogs({ id: nthTask(7), level: 'warn' }), index: 'logs_pkey' },
  ];
  for (const { name, ask, index } of lists) {
    it(`a page of ${name} is read from its index and no further`, async () => {
      const query = (await sentBy(() => ask(large.client))).at(-1);
      assert.ok(query);
      for (const mode of ['custom', 'generic'] as const) {
        const plan = await explain(large.server.databaseUrl, query, mode);
        assert.deepEqual(scansWhole(plan), [], mode);
        assert.ok(namesOf(plan).includes(index), `${mode}: ${namesOf(plan)}`);
        assert.ok(plan.pagesTouched < 600, `${mode}: ${plan.pagesTouched} pages`);
      }
    });
  }
});
