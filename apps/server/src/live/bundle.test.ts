import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { connectBus, sessionCommand } from '@pilothouse/bus';
import { BundledEvent, Problem } from '@pilothouse/contract';
import { progressOf } from '@pilothouse/store';
import { until as pollUntil } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';

const steps = [{ action: 'screenshot' } as const];
const unknownCommand = {
  ok: false,
  failure: 'unknown_command',
  message: 'no such command',
  has_touched: false,
} as const;

describe('a bundle of streams', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false, streams: { perUser: 6 } });
  });
  after(() => server.close());

  async function newUser() {
    const { client, headers } = await registerUser(server);
    return { client, headers, newTask: async () => client.sendChat({ prompt: 'x', steps }) };
  }
  /** Appends an event of the task, as an agent would. */
  async function say(taskId: string, count: number): Promise<void> {
    const task = await server.store.tasks.byId(taskId);
    assert.ok(task);
    await server.store.change(task.session_id, async (_tx, append) => {
      const event = { taskId: task.id, kind: 'status', data: { status: progressOf(task) } };
      for (let i = 0; i < count; i++) await append(event);
    });
  }
  /** Reads one response, as it comes. */
  async function open(streams: string[], headers: Record<string, string>) {
    const stop = new AbortController();
    const query = new URLSearchParams(streams.map((stream) => ['stream', stream]));
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)]);
    const response = await fetch(`${server.baseUrl}/api/streams?${query}`, { headers, signal });
    const events: BundledEvent[] = [];
    if (!response.ok) {
      const problem = Problem.parse(await response.json());
      return { status: response.status, problem, events, ended: Promise.resolve(), close: () => {} };
    }
    assert.ok(response.body);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const ended = (async () => {
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const blocks = (text + value).split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data) events.push(BundledEvent.parse(JSON.parse(data)));
        }
      }
    })();
    ended.catch(() => {});
    return { status: response.status, problem: undefined, events, ended, close: () => stop.abort() };
  }
  const until = (isSo: () => boolean) => pollUntil(isSo, 10_000);
  const ofStream = (events: BundledEvent[], name: string) =>
    events.flatMap((event) => (event.type !== 'refused' && event.stream === name ? event : []));
  const cursorsOf = (events: BundledEvent[], name: string) =>
    ofStream(events, name).flatMap(({ cursor }) => (cursor === null ? [] : Number(cursor)));

  it('carries the same events as each stream alone, in order and from its own cursor', async () => {
    const { newTask, headers, client } = await newUser();
    const [one, two] = [await newTask(), await newTask()];
    await say(one.task_id, 5);
    const alone: number[] = [];
    const { status } = await client.getTaskStatus({ id: one.task_id });
    const seqs: number[] = [];
    for await (const event of client.followTask({ id: one.task_id })) {
      if ('seq' in event) seqs.push(event.seq);
      if (seqs.length === 6) break;
    }
    alone.push(...seqs);
    const half = alone[2] ?? 0;
    const names = {
      all: `task:${one.task_id}`,
      half: `task:${one.task_id}~half`,
      live: `live:${one.session_id}`,
      other: `live:${two.session_id}`,
    };
    const bundle = await open([names.all, `${names.half}@${half}`, names.live, `${names.other}`], headers);
    await until(() => cursorsOf(bundle.events, names.all).length === 6);
    await until(() => [names.live, names.other].every((name) => ofStream(bundle.events, name).length > 0));
    await say(one.task_id, 20);
    await until(() => cursorsOf(bundle.events, names.half).length === 23);
    await until(() => cursorsOf(bundle.events, names.live).length === 20);
    const all = cursorsOf(bundle.events, names.all);
    assert.deepEqual(all.slice(0, 6), alone);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      cursorsOf(bundle.events, names.half),
      all.filter((cursor) => cursor > half),
    );
    const first = ofStream(bundle.events, names.live)[0];
    assert.equal(first?.event.type, 'snapshot');
    assert.ok(Number(status.cursor) < (all.at(-1) ?? 0));
    assert.deepEqual(cursorsOf(bundle.events, names.other), [], 'nothing of one is said of another');
    bundle.close();
  });

  it('refuses each stream by itself, and the response if none is left', async () => {
    const [ann, ben] = [await newUser(), await newUser()];
    const [hers, his] = [await ann.newTask(), await ben.newTask()];
    const bundle = await open([`task:${his.task_id}`, `live:${hers.session_id}`, 'task:nonsense'], ann.headers);
    assert.equal(bundle.status, 200);
    await until(() => bundle.events.length >= 3);
    const refused = bundle.events.flatMap((event) => (event.type === 'refused' ? event : []));
    assert.deepEqual(refused.map(({ stream, problem }) => [stream, problem.code]).sort(), [
      [`task:${his.task_id}`, 'not_found'],
      ['task:nonsense', 'not_found'],
    ]);
    assert.ok(ofStream(bundle.events, `live:${hers.session_id}`).length > 0);
    bundle.close();
    const none = await open([`task:${his.task_id}`, `live:${his.session_id}`], ann.headers);
    assert.equal(none.problem?.code, 'not_found');
    assert.equal((await open([`log:${his.task_id}`], ann.headers)).problem?.code, 'validation_failed');
    assert.equal((await open([], ann.headers)).problem?.code, 'validation_failed');
    assert.equal((await open([`live:${hers.session_id}`], {})).problem?.code, 'token_missing');
  });

  it('asks the host once for all streams of a session, and sends each the same snapshot', async () => {
    const { headers, client } = await newUser();
    const { session } = await client.createSession();
    const host = await connectBus({ ...server.nats.as({ host: 'browser-1' }), name: 'a host' });
    // Also after a failure: what stays open keeps this process alive.
    await using _ = { [Symbol.asyncDispose]: () => host.close() };
    const bootId = randomUUID();
    const { store } = server;
    await store.hosts.renew({ hostId: 'browser-1', bootId, capacity: 1, sessions: [], leaseMs: 60_000 });
    await store.transaction(async (tx) => {
      await store.browsers.assign(tx, session.id, { id: 'browser-1', bootId }, 0);
      await store.sessions.setBrowser(tx, session.id, 'live');
    });
    let looks = 0;
    const mayAnswer = Promise.withResolvers<void>();
    const place = { host_id: 'browser-1', session_id: session.id };
    const responder = host.respond(sessionCommand, place, async ({ type }) => {
      if (type === 'watch') return { head: { ok: true, type: 'watching' } as const, body: new Uint8Array() };
      // As a host of an older release, which has no view.
      if (type === 'view') return { head: unknownCommand, body: new Uint8Array() };
      looks += 1;
      await mayAnswer.promise;
      const route = { session: session.id, page: 'p1', frame: null, url: null, title: null };
      const size = { width: 800, height: 600, device_scale: 1 };
      const picture = { content_type: 'image/jpeg', ...size, route, private: false } as const;
      return { head: { ok: true, type: 'seen', picture } as const, body: Buffer.alloc(200_000, looks) };
    });
    await responder.ready({ timeoutMs: 5000 });
    const places = (count: number) => Array.from({ length: count }, (_, n) => `live:${session.id}~t${n}`);
    assert.equal((await open(places(5), headers)).problem?.code, 'validation_failed');
    const bundle = await open(places(4), headers);
    // By now each of its streams has asked.
    await server.client.getHealth();
    mayAnswer.resolve();
    const snapshots = () =>
      bundle.events.flatMap((one) => (one.type === 'live' && one.event.type === 'snapshot' ? one : []));
    await until(() => snapshots().length === 4);
    assert.equal(looks, 1);
    assert.deepEqual(
      snapshots()
        .map(({ stream }) => stream)
        .sort(),
      places(4),
    );
    const pictures = snapshots().map(({ event }) => event.type === 'snapshot' && event.snapshot.last_frame);
    for (const picture of pictures)
      assert.ok(picture && picture.screenshot_base64 === Buffer.alloc(200_000, 1).toString('base64'));
    bundle.close();
    responder.close();
  });

  it('goes on without streams that have ended, and ends with the last', async () => {
    const { newTask, headers, client } = await newUser();
    const [one, two] = [await newTask(), await newTask()];
    const bundle = await open([`task:${one.task_id}`, `task:${two.task_id}`], headers);
    await client.cancelTask({ id: one.task_id });
    const lastOf = (id: string) => ofStream(bundle.events, `task:${id}`).at(-1)?.event.type;
    await until(() => lastOf(one.task_id) === 'end');
    await say(two.task_id, 3);
    await until(() => cursorsOf(bundle.events, `task:${two.task_id}`).length === 4);
    await client.cancelTask({ id: two.task_id });
    await bundle.ended;
    assert.equal(lastOf(two.task_id), 'end');
  });

  it('shows a guest the session of the share, and no tasks', async () => {
    const { newTask, client } = await newUser();
    const { session_id, task_id } = await newTask();
    const { share } = await client.shareSession({ id: session_id });
    const guest = { 'x-share-token': share.share_token };
    const bundle = await open([`live:${session_id}`, `task:${task_id}`], guest);
    await until(() => bundle.events.length >= 2);
    const [first] = ofStream(bundle.events, `live:${session_id}`);
    assert.ok(first?.event.type === 'snapshot' && first.event.snapshot.message_state === null);
    assert.ok(bundle.events.some((event) => event.type === 'refused' && event.stream === `task:${task_id}`));
    let isOver = false;
    bundle.ended.then(
      () => {
        isOver = true;
      },
      () => {},
    );
    await client.unshareSession({ id: session_id });
    await pollUntil(() => isOver, 5000);
  });

  it('counts for each stream that it carries, and ends with the login', async () => {
    const { newTask, headers, client } = await newUser();
    const tasks = [await newTask(), await newTask()];
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `task:${tasks[index % 2]?.task_id}~${index}`);
    assert.equal((await open(many(7), headers)).problem?.code, 'rate_limited');
    const bundle = await open(many(4), headers);
    assert.equal(bundle.status, 200);
    assert.equal((await open(many(3), headers)).problem?.code, 'rate_limited');
    const second = await open(many(2), headers);
    assert.equal(second.status, 200);
    await client.logoutAll();
    await Promise.all([bundle.ended, second.ended]);
  });
});
