import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PointerAction } from './api-types.ts';
import { createInputQueue, type SendFailure, type SentAction } from './input-queue.ts';

const click = (x: number): PointerAction => ({ action: 'click', x, y: 0 });
const key = (name: string): PointerAction => ({ action: 'key', key: name });
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A browser that counts as the host does: it does each number once, in order. */
function createBrowser({ seq = 0 } = {}) {
  const done: PointerAction[] = [];
  const requests: SentAction[][] = [];
  const faults: ('before' | 'after' | SendFailure)[] = [];
  let gate: Promise<void> | undefined;
  let last = seq;
  const take = ({ takeover_id: _, epoch: __, input_seq, ...action }: SentAction) => {
    if (input_seq !== undefined && input_seq !== last + 1) return;
    if (input_seq !== undefined) last = input_seq;
    done.push(action as PointerAction);
  };
  return {
    done,
    requests,
    faults,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    async send(actions: SentAction[]): Promise<number> {
      requests.push(actions);
      await gate;
      const fault = faults.shift();
      if (fault === 'before') throw new Error('again');
      if (fault !== undefined && fault !== 'after') throw new Error(fault);
      for (const action of actions) take(action);
      if (fault === 'after') throw new Error('again');
      return last;
    },
  };
}

function createQueue(browser: ReturnType<typeof createBrowser>) {
  const lost: string[] = [];
  const queue = createInputQueue({
    send: browser.send,
    classify: (error) => ({ failure: (error as Error).message as SendFailure }),
    sleep: async () => {},
    onLost: () => lost.push('lost'),
    onRefused: () => lost.push('refused'),
  });
  queue.attach('t1', 1);
  return { queue, lost };
}
const kinds = (actions: PointerAction[]) => actions.filter(({ action }) => action !== 'move').map((one) => one.action);

describe('the inputs of a person', () => {
  it('of a window that counts again are counted from what the host has done, not from where it began', async () => {
    const browser = createBrowser();
    const { queue } = createQueue(browser);
    const window = { clientId: 'tab', next: 1 };
    queue.attach('t1', 1, window);
    for (const name of ['a', 'b', 'c']) queue.push(key(name));
    await queue.settled();
    queue.close();
    queue.attach('t1', 1, window);
    queue.push(key('d'));
    await queue.settled();
    assert.deepEqual(
      browser.done.flatMap((action) => ('key' in action ? [action.key] : [])),
      ['a', 'b', 'c', 'd'],
    );
  });

  it('name their window, and are counted on from the number that it was given', async () => {
    const browser = createBrowser({ seq: 41 });
    const { queue } = createQueue(browser);
    queue.attach('t1', 1, { clientId: 'tab', next: 42 });
    await tick();
    browser.requests.length = 0;
    queue.push(click(1));
    await queue.settled();
    assert.deepEqual(browser.requests, [
      [{ action: 'click', x: 1, y: 0, takeover_id: 't1', client_id: 'tab', epoch: 1, input_seq: 42 }],
    ]);
  });

  it('of a window that was told no number are counted on from the one that the browser names', async () => {
    const browser = createBrowser({ seq: 41 });
    const { queue } = createQueue(browser);
    queue.attach('t1', 1, { clientId: 'tab' });
    queue.push(click(1));
    await queue.settled();
    const [sent] = browser.requests.at(-1) ?? [];
    assert.deepEqual(sent, {
      action: 'click',
      x: 1,
      y: 0,
      takeover_id: 't1',
      client_id: 'tab',
      epoch: 1,
      input_seq: 42,
    });
  });

  it('that the page before left come first, and only once', async () => {
    const browser = createBrowser({ seq: 41 });
    const { queue } = createQueue(browser);
    const counting = { clientId: 'tab', next: 42, left: [click(1)] };
    queue.attach('t1', 1, counting);
    queue.push(click(2));
    await queue.settled();
    queue.close();
    queue.attach('t1', 1, counting);
    queue.push(click(3));
    await queue.settled();
    const done = browser.requests.flat().filter(({ action }) => action === 'click');
    assert.deepEqual(
      done.map((sent) => ['x' in sent && sent.x, sent.input_seq]),
      [
        [1, 42],
        [2, 43],
        [3, 44],
      ],
    );
  });

  it('that come before the window is counted are kept, and sent behind those that the page before left', async () => {
    const browser = createBrowser({ seq: 4 });
    const { queue } = createQueue(browser);
    queue.push(click(0));
    queue.expect('t1', 2);
    queue.push(click(2));
    queue.expect('t1', 2);
    await tick();
    queue.leave();
    assert.deepEqual(kinds(browser.requests.flat()), []);
    assert.equal(queue.waiting(), 1, 'what was meant for the epoch before is dropped');
    browser.requests.length = 0;
    queue.attach('t1', 2, { clientId: 'tab', next: 5, left: [click(1)] });
    await queue.settled();
    assert.deepEqual(
      browser.requests.flat().map((sent) => ['x' in sent && sent.x, sent.input_seq]),
      [
        [1, 5],
        [2, 6],
      ],
    );
  });

  it('that are not answered when the page goes away are sent once more under their numbers', async () => {
    const last: SentAction[][] = [];
    const queue = createInputQueue({
      send: () => new Promise(() => {}),
      sendLast: (actions) => last.push(actions),
      classify: () => ({ failure: 'again' }),
      sleep: async () => {},
    });
    queue.leave();
    queue.attach('t1', 1, { clientId: 'tab', next: 7 });
    queue.leave();
    assert.equal(last.length, 0, 'nothing waits');
    queue.push(click(1));
    await tick();
    queue.push(click(2));
    queue.leave();
    assert.deepEqual(
      last.map((actions) => actions.map(({ input_seq, client_id }) => [input_seq, client_id])),
      [
        [
          [7, 'tab'],
          [8, 'tab'],
        ],
      ],
    );
    queue.close();
  });

  it('are counted on from the number that the browser names', async () => {
    const browser = createBrowser({ seq: 41 });
    const { queue } = createQueue(browser);
    queue.push(click(1));
    await queue.settled();
    assert.equal(browser.requests[0]?.[0]?.action, 'move');
    assert.equal(browser.requests[0]?.[0]?.input_seq, undefined);
    assert.equal(browser.requests[1]?.[0]?.input_seq, 42);
    assert.equal(browser.requests[1]?.[0]?.takeover_id, 't1');
  });

  it('are sent again with the same numbers, and done once and in order', async () => {
    const browser = createBrowser();
    const { queue } = createQueue(browser);
    await tick();
    browser.faults.push('before', 'after', 'after', 'before');
    for (const name of ['A', 'B', 'C']) queue.push(key(name));
    await queue.settled();
    queue.push(key('D'));
    await queue.settled();
    assert.deepEqual(
      browser.done.flatMap((action) => (action.action === 'key' ? action.key : [])),
      ['A', 'B', 'C', 'D'],
    );
  });

  it('go up to 64 in one request while an answer is awaited', async () => {
    const browser = createBrowser();
    const release = browser.hold();
    const { queue } = createQueue(browser);
    for (let index = 0; index < 100; index += 1) queue.push(click(index));
    assert.equal(queue.waiting(), 100);
    release();
    await queue.settled();
    assert.deepEqual(
      browser.requests.map(({ length }) => length),
      [1, 64, 36],
    );
    assert.equal(kinds(browser.done).length, 100);
  });

  it('that only move are sent one at a time, and the newest waits', async () => {
    const browser = createBrowser();
    const { queue } = createQueue(browser);
    await tick();
    const release = browser.hold();
    for (let x = 1; x <= 50; x += 1) queue.move({ action: 'move', x, y: 0 });
    release();
    await tick();
    await tick();
    const moved = browser.done.map((action) => ('x' in action ? action.x : undefined));
    assert.deepEqual(moved, [0, 1, 50]);
  });

  it('that drag keep the last position before the button is released', async () => {
    const browser = createBrowser();
    const { queue } = createQueue(browser);
    queue.push({ action: 'down', x: 1, y: 1 });
    queue.move({ action: 'move', x: 5, y: 5 });
    queue.push({ action: 'up', x: 9, y: 9 });
    await queue.settled();
    const order = browser.done.slice(-3).map((action) => `${action.action} ${'x' in action ? action.x : ''}`);
    assert.deepEqual(order, ['down 1', 'move 5', 'up 9']);
  });

  it('that were not sent yet are joined: text, composition, scrolling', async () => {
    const browser = createBrowser();
    const release = browser.hold();
    const { queue } = createQueue(browser);
    for (const letter of 'héllo') queue.push({ action: 'type', text: letter });
    queue.push({ action: 'compose', text: 'に' });
    queue.push({ action: 'compose', text: 'にほ' });
    queue.push({ action: 'scroll', delta_y: 10 });
    queue.push({ action: 'scroll', delta_y: 30, delta_x: 1 });
    release();
    await queue.settled();
    assert.deepEqual(browser.done.slice(1), [
      { action: 'type', text: 'héllo' },
      { action: 'compose', text: 'にほ' },
      { action: 'scroll', delta_x: 1, delta_y: 40 },
    ]);
  });

  it('that are under way are never joined with later ones', async () => {
    const browser = createBrowser();
    const { queue } = createQueue(browser);
    await tick();
    const release = browser.hold();
    queue.push({ action: 'type', text: 'a' });
    await tick();
    queue.push({ action: 'type', text: 'b' });
    release();
    await queue.settled();
    assert.deepEqual(browser.done.slice(1), [
      { action: 'type', text: 'a' },
      { action: 'type', text: 'b' },
    ]);
  });

  it('that may be done already are not joined with what is typed before they are sent again', async () => {
    const browser = createBrowser();
    const { promise: waited, resolve: goOn } = Promise.withResolvers<void>();
    const queue = createInputQueue({
      send: browser.send,
      classify: () => ({ failure: 'again' }),
      sleep: () => waited,
    });
    queue.attach('t1', 1, { clientId: 'tab', next: 1 });
    // The browser does it, and the answer gets lost.
    browser.faults.push('after');
    queue.push({ action: 'type', text: 'a' });
    await tick();
    for (const text of ['b', 'c']) queue.push({ action: 'type', text });
    goOn();
    await queue.settled();
    assert.equal(browser.done.flatMap((action) => ('text' in action ? [action.text] : [])).join(''), 'abc');
  });

  it('that the browser did not do are left out after three tries, and the others go on', async () => {
    const browser = createBrowser();
    const send = browser.send;
    let refusals = 0;
    browser.send = async (actions) => {
      const bad = actions.findIndex((one) => one.action === 'key' && one.key === 'Bad');
      if (bad < 0) return send(actions);
      if (bad > 0) await send(actions.slice(0, bad));
      refusals += 1;
      throw new Error('sync');
    };
    const { queue, lost } = createQueue(browser);
    for (const name of ['First', 'Bad', 'Good']) queue.push(key(name));
    await queue.settled();
    assert.equal(refusals, 4, 'once behind the first, and three times alone');
    assert.deepEqual(lost, ['refused']);
    assert.deepEqual(
      browser.done.flatMap((action) => (action.action === 'key' ? action.key : [])),
      ['First', 'Good'],
    );
  });

  it('are dropped when another drives, and when a new epoch begins', async () => {
    const browser = createBrowser();
    const { queue, lost } = createQueue(browser);
    await tick();
    browser.faults.push('lost');
    queue.push(click(1));
    await queue.settled();
    assert.deepEqual(lost, ['lost']);
    assert.equal(queue.waiting(), 0);

    const release = browser.hold();
    queue.push(click(2));
    queue.attach('t1', 2);
    assert.equal(queue.waiting(), 0);
    queue.push(click(3));
    release();
    await queue.settled();
    assert.deepEqual(
      browser.requests.at(-1)?.map((action) => ('x' in action ? action.x : undefined)),
      [3],
    );
  });
});
