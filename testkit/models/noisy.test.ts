import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MindAnswer, type MindRequest, message } from './mind.ts';
import { noisy } from './noisy.ts';
import { mistake, teacher } from './teacher.ts';

const request: MindRequest = {
  wire: 'chat',
  model: 'noisy',
  system: '',
  isSystemMarked: false,
  messages: [
    message('assistant', { calls: [{ id: '1', name: 'press', input: { key: 'Tab' } }] }),
    message('tool', { results: [{ id: '1', name: 'press', text: 'done' }] }),
  ],
  tools: [],
  lastUserText: '[e1 button "Yes"] [e2 button "No"]',
  pictures: [],
  maxOutputTokens: 100,
  cacheKey: undefined,
};
const plan = teacher([{ press: 'Tab' }, { click: 'Yes' }]);
const answersOf = async (rate: number, seed = 1) => {
  const mind = noisy(plan, { rate, seed });
  return (await Promise.all(Array.from({ length: 200 }, () => mind(request)))) as MindAnswer[];
};

describe('the noisy mind', () => {
  it('spoils answers in eight ways, as often as it is told, and the same from the same seed', async () => {
    const all = await answersOf(1);
    assert.ok(all.every(({ text }) => text?.includes(mistake)));
    // Two buttons are clicked by mistake, so that eight ways give nine answers.
    assert.equal(new Set(all.map((answer) => JSON.stringify(answer))).size, 9);
    assert.deepEqual(await answersOf(1), all);
    const some = (await answersOf(0.3)).filter(({ text }) => text?.includes(mistake)).length;
    assert.ok(some > 40 && some < 80, `${some} of 200`);
    assert.deepEqual(
      (await answersOf(0)).filter(({ text }) => text?.includes(mistake)),
      [],
    );
  });

  it('does not mislead the plan: what was done by mistake brings it no further', async () => {
    const [spoilt] = await answersOf(1, 7);
    const messages = [
      ...request.messages,
      message('assistant', { text: spoilt?.text ?? '', calls: [{ id: '2', name: 'click', input: { ref: 'e2' } }] }),
      message('tool', { results: [{ id: '2', name: 'click', text: 'done' }] }),
    ];
    const { calls } = (await plan({ ...request, messages })) as MindAnswer;
    assert.deepEqual(calls, [{ name: 'click', input: { ref: 'e1' } }]);
  });
});
