import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '@pilothouse/sdk';
import type { Caller, TaskRow } from '@pilothouse/store';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeDecision, makeObservation, makeTask } from '../../testing/tasks.ts';

const password = 'a lamp in the harbour';
type Person = Caller & { client: Client };

describe('a task', () => {
  let server: TestServer;
  let host: Person;
  let planner: Person;
  let heir: Person;
  let task: TaskRow;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    [host, planner, heir] = (await Promise.all(['host', 'planner', 'heir'].map(newPerson))) as [Person, Person, Person];
    task = await makeTask(server.store, { owner: host, creator: planner });
    await makeObservation(server.store, task, { image: Buffer.from('89504e47', 'hex') });
    const pictureKey = `sessions/${task.session_id}/seen/1.png`;
    await server.store.blobs.put(pictureKey, Buffer.from('89504e47', 'hex'));
    await server.store.transaction((tx) =>
      makeDecision(tx, task.id, { view: 'x', pictureKey, pictureType: 'image/png' }),
    );
  });
  after(() => server.close());

  async function newPerson(username: string): Promise<Person> {
    const { user } = await server.client.register({ username, email: `${username}@example.test`, password });
    const { access_token } = await server.client.login({ username_or_email: username, password });
    const client = createClient({ baseUrl: server.baseUrl, token: () => access_token });
    return { id: user.id, role: 'user', client };
  }

  /** The answers to a client on every route that reads the task. */
  async function reads({ client }: Person): Promise<string[]> {
    const { id } = task;
    const asked = {
      status: client.getTaskStatus({ id }),
      detail: client.getTask({ id }),
      logs: client.listLogs({ id }),
      observations: client.listObservations({ id }),
      executions: client.listExecutions({ id }),
      decisions: client.listDecisions({ id }),
      view: client.getDecisionView({ id, number: '1' }),
      seen: client.getDecisionPicture({ id, number: '1' }),
      messages: client.getMessageState({ id }),
      screenshot: client.getScreenshot({ id }),
      list: client.listTasks().then(({ tasks }) => assert.ok(tasks.some((listed) => listed.id === id))),
    };
    const answers = await Promise.allSettled(Object.values(asked));
    return Object.keys(asked).filter((_, index) => answers[index]?.status === 'fulfilled');
  }
  const everything = [
    'status',
    'detail',
    'logs',
    'observations',
    'executions',
    'decisions',
    'view',
    'seen',
    'messages',
    'screenshot',
    'list',
  ];
  const isSessionSeen = ({ client }: Person) =>
    client.getSession({ id: task.session_id }).then(
      () => true,
      () => false,
    );

  it('is read by the owner of its session and by its creator, and by no other user', async () => {
    assert.deepEqual(await reads(host), everything);
    assert.deepEqual(await reads(planner), everything);
    assert.deepEqual(await reads(heir), []);
    assert.equal(await isSessionSeen(host), true);
    assert.equal(await isSessionSeen(planner), false, 'the session is not theirs');
  });

  it('outlives its session for its creator', async () => {
    const { store } = server;
    await store.change(task.session_id, (tx) => store.sessions.move(tx, task.session_id, 'close'));
    assert.deepEqual(await reads(planner), everything);
    await store.transaction((tx) =>
      tx.client.query('update sessions set owner_id = $1 where id = $2', [heir.id, task.session_id]),
    );
    assert.deepEqual(await reads(planner), everything);
    assert.deepEqual(await reads(host), [], 'whose session it was');
    assert.deepEqual(await reads(heir), everything, 'whose session it is');
  });
});
