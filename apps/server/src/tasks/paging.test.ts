import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RecordingItem } from '@pilothouse/contract';
import { localUser, type Store, type TaskRow } from '@pilothouse/store';
import { makeFrame, makeOverlay } from '../../testing/recording.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeObservation, makeTask } from '../../testing/tasks.ts';

const owner = { id: localUser.id, role: 'admin' } as const;
const standing = 23;
const added = 40;

type Page = { ids: (string | number)[]; next: string | null };
type List = {
  name: string;
  /** Adds one row. */
  add: () => Promise<string | number>;
  page: (cursor: string | undefined) => Promise<Page>;
};

describe('every list, paged while rows are added,', () => {
  let server: TestServer;
  let store: Store;
  let task: TaskRow;
  /** Its session has only a recording. */
  let recorded: TaskRow;
  let moments = 0;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
    store = server.store;
    task = await makeTask(store, { owner });
    recorded = await makeTask(store, { owner });
  });
  after(() => server.close());

  const addTask = async () => (await makeTask(store, { owner, sessionId: task.session_id })).id;
  const log = async () => {
    await store.change(task.session_id, (_tx, append) =>
      store.logs.append(append, { taskId: task.id, level: 'info', message: 'x' }),
    );
    return (await store.events.last(task.session_id, 1))[0]?.seq ?? 0;
  };
  const tasksBy = (query: object) => async (cursor: string | undefined) => {
    const { tasks, next_cursor } = await server.client.listTasks({ limit: 4, cursor, ...query });
    return { ids: tasks.map(({ id }) => id), next: next_cursor };
  };
  const lists: List[] = [
    {
      name: 'sessions',
      add: async () => (await server.client.createSession()).session.id,
      async page(cursor) {
        const { sessions, next_cursor } = await server.client.listSessions({ limit: 4, cursor });
        return { ids: sessions.map(({ id }) => id), next: next_cursor };
      },
    },
    { name: 'tasks', add: addTask, page: tasksBy({}) },
    { name: 'tasks of a state', add: addTask, page: tasksBy({ status: 'pending' }) },
    { name: 'tasks of a session', add: addTask, page: (cursor) => tasksBy({ session_id: task.session_id })(cursor) },
    {
      name: 'logs',
      add: log,
      async page(cursor) {
        const { logs, next_cursor } = await server.client.listLogs({ id: task.id, limit: 4, cursor });
        return { ids: logs.map(({ seq }) => seq), next: next_cursor };
      },
    },
    {
      name: 'observations',
      add: () => makeObservation(store, task),
      async page(cursor) {
        const { data } = await server.client.listObservations({ id: task.id, limit: 4, cursor });
        return { ids: data.observations.map(({ observation_id }) => observation_id), next: data.next_cursor };
      },
    },
    {
      name: 'the moments of a recording',
      // Frames in a row, and overlays in between.
      add: () => (moments++ % 3 === 0 ? makeOverlay(store, recorded) : makeFrame(store, recorded)),
      async page(cursor) {
        const { items, next_cursor } = await server.client.getRecording({ id: recorded.session_id, limit: 4, cursor });
        return { ids: items.map(momentIdOf), next: next_cursor };
      },
    },
  ];

  for (const { name, add, page } of lists) {
    it(`shows each of ${name} once, and misses none`, async () => {
      const there: (string | number)[] = [];
      for (let i = 0; i < standing; i++) there.push(await add());
      // Several at a time, so that the order of commits is not the order of begins.
      const adding = Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let i = 0; i < added / 4; i++) await add();
        }),
      );
      const seen: (string | number)[] = [];
      let pages = 0;
      let cursor: string | undefined;
      do {
        const { ids, next } = await page(cursor);
        assert.ok(ids.length <= 4);
        assert.ok(next === null || ids.length === 4, 'only the last page may be short');
        seen.push(...ids);
        cursor = next ?? undefined;
        pages++;
      } while (cursor !== undefined);
      await adding;
      assert.equal(new Set(seen).size, seen.length, 'nothing is shown twice');
      assert.deepEqual(
        there.filter((id) => !seen.includes(id)),
        [],
        'nothing is missing of what was there',
      );
      assert.ok(pages >= standing / 4);
    });
  }
});

function momentIdOf(item: RecordingItem): string {
  if (item.type === 'frame') return item.frame.frame_id;
  return item.type === 'overlay' ? item.overlay.overlay_id : `event ${item.event.seq}`;
}
