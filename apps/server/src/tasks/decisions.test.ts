import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@pilothouse/sdk';
import { localUser, type TaskRow } from '@pilothouse/store';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeDecision, makeTask } from '../../testing/tasks.ts';

const bytes = Buffer.from('ffd8ffe0', 'hex');
const text = '# Shop\n[e1 field "Password" = "••••"] <b>not markup</b>';

describe('what a model was shown', () => {
  let server: TestServer;
  let task: TaskRow;
  let pictureKey: string;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
    const { store } = server;
    task = await makeTask(store, { owner: localUser });
    pictureKey = `sessions/${task.session_id}/seen/one.jpeg`;
    await store.blobs.put(pictureKey, bytes);
    await store.transaction(async (tx) => {
      const first = { view: text, url: 'https://shop.test/', pictureKey, pictureType: 'image/jpeg' };
      await makeDecision(tx, task.id, first);
      await makeDecision(tx, task.id, { number: 2, view: null });
    });
  });
  after(() => server.close());

  const refusalOf = async (asked: Promise<unknown>) => {
    const error = await asked.then(
      () => undefined,
      (failed: unknown) => failed,
    );
    assert.ok(error instanceof ApiError);
    return [error.status, error.message];
  };

  it('is the text of the page as it was stored, with the picture that was sent', async () => {
    const { view } = await server.client.getDecisionView({ id: task.id, number: '1' });
    const path = `/api/tasks/${task.id}/decisions/1/picture`;
    const { decided_at, ...rest } = view;
    assert.ok(Date.parse(decided_at) > 0);
    const picture = { content_type: 'image/jpeg', path };
    assert.deepEqual(rest, { number: 1, url: 'https://shop.test/', text, picture });
    const answer = await fetch(`${server.baseUrl}${path}`);
    assert.equal(answer.headers.get('content-type'), 'image/jpeg');
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
  });

  it('says that no text and no picture was kept', async () => {
    const { view } = await server.client.getDecisionView({ id: task.id, number: '2' });
    assert.deepEqual([view.text, view.picture], [null, null]);
    const refused = await refusalOf(server.client.getDecisionPicture({ id: task.id, number: '2' }));
    assert.deepEqual(refused, [404, 'No picture was sent with this page.']);
  });

  it('is not found for another number, however it is written', async () => {
    for (const number of ['3', '0', '01', '1e0', '-1', '99999999999', 'abc'])
      assert.deepEqual(
        await refusalOf(server.client.getDecisionView({ id: task.id, number })),
        [404, 'The task has no decision of this number, or its decisions were removed.'],
        number,
      );
  });

  it('is removed with its session: neither text nor picture comes back', async () => {
    const purged = await makeTask(server.store, { owner: localUser });
    const key = `sessions/${purged.session_id}/seen/one.png`;
    await server.store.blobs.put(key, bytes);
    await server.store.transaction((tx) =>
      makeDecision(tx, purged.id, { view: text, pictureKey: key, pictureType: 'image/png' }),
    );
    assert.deepEqual(await server.store.knownBlobs.of(purged.session_id, [key, `${key}x`]), new Set([key]));
    await server.client.deleteSession({ id: purged.session_id, purge: true });
    assert.equal((await refusalOf(server.client.getDecisionView({ id: purged.id, number: '1' })))[0], 404);
    assert.equal((await refusalOf(server.client.getDecisionPicture({ id: purged.id, number: '1' })))[0], 404);
    assert.equal(await server.store.blobs.get(key), undefined);
  });
});
