import assert from 'node:assert/strict';
import { it } from 'node:test';
import { StepFailure } from '../common/failure.ts';
import { createSequencer } from './sequencer.ts';

/** Logs what is performed. `m…` are moves; `x…` fail; `slow` waits until it is resolved. */
function desk({ waitMs = 100, maxAhead = 8 } = {}) {
  const log: string[] = [];
  const slow = Promise.withResolvers<void>();
  const order = createSequencer<string>({
    async perform(item, signal) {
      log.push(item);
      if (item === 'slow') await slow.promise;
      if (signal.aborted) log.push(`${item} aborted`);
      if (item.startsWith('x')) throw new StepFailure('unsupported', item);
    },
    isOutdated: (item, next) => item.startsWith('m') && next.startsWith('m'),
    waitMs,
    maxAhead,
  });
  type Item = [seq: number, item: string];
  const giveBy = (sender: number, ...items: Item[]) =>
    order.take(
      items.map(([seq, item]) => ({ seq, item })),
      sender,
    );
  const give = (...items: Item[]) => giveBy(0, ...items);
  return { log, slow, give, giveBy, count: order.count, reset: order.reset };
}
const failure = (name: string) => (error: unknown) => error instanceof StepFailure && error.failure === name;

it('performs items in order and once that come swapped and twice', async () => {
  const { log, give } = desk();
  const third = give([3, 'c']);
  const second = give([2, 'b'], [3, 'c']);
  assert.deepEqual(log, []);
  assert.ok((await give([1, 'a'], [2, 'b'])) >= 2);
  assert.deepEqual(await Promise.all([second, third]), [3, 3]);
  assert.equal(await give([2, 'b']), 3, 'the last that is done, not the last that was asked for');
  assert.deepEqual(log, ['a', 'b', 'c']);
});

it('performs an item without a number after every item that came before it', async () => {
  const { log, give } = desk();
  const ahead = give([2, 'b']);
  const last = give([0, 'c'], [0, 'd']);
  assert.deepEqual(log, []);
  await give([1, 'a']);
  await ahead;
  assert.equal(await last, 2);
  assert.equal(await give([0, 'e']), 2);
  // Nor does it use up a number.
  assert.equal(await give([3, 'f']), 3);
  assert.deepEqual(log, ['a', 'b', 'c', 'd', 'e', 'f']);
});

it('times out an item whose predecessor never comes, and then accepts it again', async () => {
  const { log, give } = desk();
  assert.equal(await give([1, 'a']), 1);
  await assert.rejects(give([3, 'c']), failure('timeout'));
  await assert.rejects(give([10, 'far']), failure('timeout'));
  assert.equal(await give([2, 'b']), 2);
  assert.deepEqual(log, ['a', 'b'], 'what was answered as not done is not done later');
  assert.equal(await give([3, 'c']), 3);
});

it('does not time out an item that only waits for its turn', async () => {
  const { log, slow, give } = desk({ waitMs: 30 });
  const given = give([1, 'slow'], [2, 'b']);
  // It came later and has as long to wait, so the time of those before it is over when this is given up.
  await assert.rejects(give([4, 'd']), failure('timeout'));
  slow.resolve();
  assert.equal(await given, 2);
  assert.deepEqual(log, ['slow', 'b']);
});

it('skips moves that another move follows, and nothing else', async () => {
  const { log, give } = desk();
  assert.equal(await give([1, 'm1'], [2, 'm2'], [3, 'click'], [4, 'm3'], [5, 'm4'], [6, 'up']), 6);
  assert.deepEqual(log, ['m2', 'click', 'm4', 'up']);
});

it('continues after an item that failed, and repeats the failure when it is sent again', async () => {
  const { log, give } = desk();
  await assert.rejects(give([1, 'x'], [2, 'b']), failure('unsupported'));
  await assert.rejects(give([1, 'x']), failure('unsupported'));
  assert.equal(await give([2, 'b']), 2);
  assert.deepEqual(log, ['x', 'b']);
});

it('drops what waits for another driver, and is ready when the item under way has ended', async () => {
  const { log, slow, give, reset } = desk();
  const given = give([1, 'slow'], [2, 'b']);
  given.catch(() => undefined);
  let isOver = false;
  const over = reset().then(() => {
    isOver = true;
  });
  await assert.rejects(given, failure('stale_epoch'));
  assert.equal(isOver, false);
  slow.resolve();
  await over;
  assert.equal(await give([1, 'a']), 1);
  assert.deepEqual(log, ['slow', 'slow aborted', 'a']);
});

it('lets another sender go on behind what was accepted, and refuses the former', async () => {
  const { log, slow, giveBy, count } = desk();
  const first = giveBy(1, [1, 'slow'], [2, 'b']);
  const ahead = giveBy(1, [4, 'lost']);
  assert.equal(count(1), 2, 'what waits for its turn is accepted, what waits for a number is not');
  assert.equal(count(2), 2);
  await assert.rejects(ahead, failure('timeout'));
  await assert.rejects(giveBy(1, [3, 'late']), failure('stale_epoch'));
  const second = giveBy(2, [3, 'c'], [4, 'd']);
  slow.resolve();
  await first;
  assert.equal(await second, 4);
  assert.deepEqual(log, ['slow', 'b', 'c', 'd'], 'each once and in order');
  assert.throws(() => count(1), failure('stale_epoch'));
  await giveBy(0, [5, 'e']);
  assert.equal(count(), 5, 'a sender without a number is not checked');
});

it('hears a later sender by its items alone, and each again for another driver', async () => {
  const { log, giveBy, count, reset } = desk();
  const ahead = giveBy(1, [2, 'lost']);
  const second = giveBy(2, [1, 'a'], [2, 'b']);
  await assert.rejects(ahead, failure('timeout'));
  assert.equal(await second, 2);
  await assert.rejects(giveBy(1, [3, 'late']), failure('stale_epoch'));
  await reset();
  assert.equal(count(1), 0);
  assert.equal(await giveBy(1, [1, 'again']), 1);
  assert.deepEqual(log, ['a', 'b', 'again']);
});
