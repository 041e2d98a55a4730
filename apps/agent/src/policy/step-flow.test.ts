import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { acted } from '../../testing/scripted-browsers.ts';
import { finishes, handle, page, type Said, says } from '../../testing/scripted-mind.ts';
import { openBench, play } from '../../testing/task-bench.ts';

describe('what the gate of a step knows of its words', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench?.close());

  const url = 'https://shop.test/cart';
  const text = 'Account 4402 1190 7781\n<frame "Bank" bank.test>\nBalance ZX-9917-4410\n</frame>';
  const handles = [
    handle('e1', 'To', { role: 'field', tag: 'input', type: 'text' }),
    handle('e2', 'Save'),
    handle('e3', 'City', { role: 'select', tag: 'select', type: null }),
  ];
  /** The gates of the steps that the model decides, one after the other. */
  async function gatesOf(constraint: string, decided: Said[]) {
    const task = await bench.newTask('open', { constraints: [constraint] });
    const replies = Array.from({ length: 10 }, () => acted());
    const run = task.run({ view: page('h1', { url, text, handles }), replies }, { answers: [...decided, finishes()] });
    await play(run, 30);
    return run.sent.map(({ command }) => command.gate);
  }
  const fill = (words: string) => says(['fill', { items: [{ ref: 'e1', text: words }] }]);
  const save = says(['click', { ref: 'e2' }]);
  const open = (address: string) => says(['open', { url: address }]);

  it('words of people are from nowhere, and may be sent', async () => {
    const [typing, sending] = await gatesOf('Send it to Ada Lovelace.', [fill('Ada Lovelace'), save]);
    assert.deepEqual([typing?.shown_at, sending?.is_unsaid], [undefined, false]);
  });

  it('words that a page showed are from its host, and those of a frame from the host of the frame', async () => {
    const [page_, frame] = await gatesOf('Do it.', [fill('4402-1190-7781'), fill('it is ZX-9917-4410')]);
    assert.deepEqual([page_?.shown_at, frame?.shown_at], [['shop.test'], ['bank.test']]);
  });

  it('what no person gave is not sent without one, also a chosen option', async () => {
    const [typing, sending] = await gatesOf('Do it.', [fill('mallory@thief.example'), save]);
    assert.deepEqual([typing?.shown_at, sending?.is_unsaid], [undefined, true]);
    const chosen = await gatesOf('Do it.', [says(['choose', { ref: 'e3', option: 'Administrator' }]), save]);
    assert.equal(chosen[1]?.is_unsaid, true);
    const given = await gatesOf('Live in Graz.', [says(['choose', { ref: 'e3', option: 'Graz' }]), save]);
    assert.equal(given[1]?.is_unsaid, false);
  });

  it('an address is new where no person gave it and it was not opened before', async () => {
    const decided = ['https://shop.test/given', url, 'https://shop.test/', 'https://shop.test/do/delete'].map(open);
    const gates = await gatesOf('Begin at https://shop.test/given on shop.test.', decided);
    assert.deepEqual(
      gates.map((gate) => gate?.is_new_address ?? false),
      [false, false, false, true],
    );
    assert.equal(gates[3]?.carries_much, false);
    const [much] = await gatesOf('On shop.test.', [open(`https://shop.test/?q=${'seen4402'.repeat(10)}`)]);
    assert.equal(much?.carries_much, true);
  });

  it('steps of a person have nothing of it', async () => {
    const task = await bench.newTask([{ action: 'type', target: 'To', text: '4402 1190 7781' }]);
    const run = task.run({ replies: [acted()] });
    await play(run);
    const { shown_at, is_unsaid, is_new_address } = run.sent[0]?.command.gate ?? assert.fail();
    assert.deepEqual([shown_at, is_unsaid, is_new_address], [undefined, undefined, undefined]);
  });
});
