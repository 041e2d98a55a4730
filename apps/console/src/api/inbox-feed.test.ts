import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { createInboxFeed } from './inbox-feed.ts';

type Follow = Parameters<typeof createInboxFeed>[0]['follow'];
type Event = ReturnType<Follow> extends AsyncIterable<infer One> ? One : never;
const stateOf = (count: number, version: string): Event => ({ type: 'inbox', count, version });

/** Streams that the test writes, in the order in which they were opened. */
function openFeed(times: { graceMs?: number; retryMs?: number } = {}) {
  const opened: { cursor: string | undefined; connect: (state: 'connected' | 'reconnecting') => void }[] = [];
  const queue: (Event | 'over' | Error)[] = [];
  let wake = () => {};
  const say = (...events: typeof queue) => {
    queue.push(...events);
    wake();
  };
  const feed = createInboxFeed({
    ...times,
    async *follow(cursor, { signal, onConnection }) {
      opened.push({ cursor, connect: onConnection });
      onConnection('connected');
      while (!signal.aborted) {
        const next = queue.shift();
        if (next === 'over') return;
        if (next instanceof Error) throw next;
        if (next) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', () => resolve());
          });
      }
    },
  });
  return { feed, opened, say };
}

it('the count is told with each change, and a list is current if it has the version', async () => {
  const { feed, say } = openFeed();
  const stop = feed.start('ann');
  assert.equal(feed.read().status, 'connecting');
  say(stateOf(1, 'a'), stateOf(2, 'b'));
  await until(() => feed.read().count === 2, 2000);
  assert.deepEqual(feed.read(), { status: 'live', count: 2, version: 'b' });
  assert.deepEqual([feed.isCurrent('b'), feed.isCurrent('a'), feed.isCurrent(undefined)], [true, false, false]);
  stop();
  assert.equal(feed.isCurrent('b'), false, 'what is not followed is not known to be current');
});

it('a short interruption is not shown, a longer one counts as lost, until it is connected again', async () => {
  const { feed, opened, say } = openFeed({ graceMs: 40 });
  const stop = feed.start('ann');
  say(stateOf(1, 'a'));
  await until(() => feed.read().status === 'live', 2000);
  opened[0]?.connect('reconnecting');
  opened[0]?.connect('connected');
  assert.equal(feed.read().status, 'live');
  opened[0]?.connect('reconnecting');
  await until(() => feed.read().status === 'lost', 2000);
  assert.equal(feed.read().count, 1, 'the last count stays');
  opened[0]?.connect('connected');
  assert.equal(feed.read().status, 'live');
  stop();
});

it('a stream that ends by itself is opened again only after a pause', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { feed, opened, say } = openFeed({ retryMs: 20 });
  const stop = feed.start('ann');
  say(stateOf(1, 'a'), 'over', 'over', 'over');
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  assert.equal(opened.length, 1);
  assert.equal(feed.read().status, 'lost');
  mock.timers.tick(20);
  await new Promise(setImmediate);
  assert.deepEqual(
    opened.map(({ cursor }) => cursor),
    [undefined, 'a'],
  );
  stop();
});

it('a refused stream is lost and tried again from its cursor, a reset begins without one', async () => {
  const { feed, opened, say } = openFeed({ retryMs: 20 });
  const lost: string[] = [];
  feed.onChange(() => lost.push(feed.read().status));
  const stop = feed.start('ann');
  say(stateOf(1, 'a'));
  await until(() => feed.read().status === 'live', 2000);
  say(new Error('refused'));
  await until(() => opened.length === 2, 2000);
  assert.ok(lost.includes('lost'));
  say({ type: 'reset', reason: 'cursor_unknown' }, 'over');
  await until(() => opened.length === 3, 2000);
  assert.deepEqual(
    opened.map(({ cursor }) => cursor),
    [undefined, 'a', undefined],
  );
  stop();
});

it('nothing of a user is kept for another, and everything while the login is only lost', async () => {
  const { feed, opened, say } = openFeed();
  const stop = feed.start('ann');
  say(stateOf(3, 'a'));
  await until(() => feed.read().count === 3, 2000);
  stop();
  feed.start()();
  assert.equal(feed.read().count, 3);
  feed.start('ann')();
  assert.equal(opened.at(-1)?.cursor, 'a');
  feed.start('ben')();
  assert.deepEqual([feed.read().count, opened.at(-1)?.cursor], [undefined, undefined]);
});
