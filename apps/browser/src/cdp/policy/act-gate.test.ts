import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createActGate } from './act-gate.ts';
import type { GuestAct, JudgeAct } from './judge.ts';

const press = (button: string): GuestAct => ({
  ...{ method: 'Input.dispatchMouseEvent', params: { type: 'mousePressed', button, x: 1, y: 1 }, sessionId: 's' },
});
const release = (button: string): GuestAct => ({
  ...{ method: 'Input.dispatchMouseEvent', params: { type: 'mouseReleased', button, x: 1, y: 1 }, sessionId: 's' },
});
const move: GuestAct = { method: 'Input.dispatchMouseEvent', params: { type: 'mouseMoved' }, sessionId: 's' };
const evaluate: GuestAct = { method: 'Runtime.evaluate', params: {}, sessionId: 's' };

function open(isUpAlready = (_: GuestAct) => false) {
  const asked: ((why: string | undefined) => void)[] = [];
  const said: string[] = [];
  const word = ({ method, params }: GuestAct) =>
    `${String(params.type ?? method)} ${String(params.button ?? '')}`.trim();
  const judge: JudgeAct = Object.assign(() => new Promise<string | undefined>((resolve) => void asked.push(resolve)), {
    isNeeded: () => true,
  });
  const gate = createActGate<GuestAct>({
    judge,
    isUpAlready,
    pass: (command) => said.push(`pass ${word(command)}`),
    refuse: (command, why) => said.push(`refuse ${word(command)}: ${why}`),
    answerRelease: (command, why) => said.push(`release ${word(command)}: ${why}`),
    fail: (command) => said.push(`fail ${word(command)}`),
  });
  const answer = async (why?: string) => {
    asked.shift()?.(why);
    await turn();
  };
  return { gate, said, answer, asked };
}

describe('the gate of a guest', () => {
  it('keeps the order of acts while one is judged, and lets everything else pass', async () => {
    const { gate, said, answer } = open();
    assert.ok(!gate.holds(move));
    assert.ok(gate.holds(press('left')));
    assert.ok(gate.holds(release('left')));
    assert.ok(!gate.holds(evaluate));
    assert.deepEqual(said, []);
    await answer();
    assert.deepEqual(said, ['pass mousePressed left', 'pass mouseReleased left']);
    assert.ok(!gate.holds(move));
  });

  it('does not let go of what was not pressed', async () => {
    const { gate, said, answer } = open();
    gate.holds(press('left'));
    gate.holds(release('left'));
    await answer('no');
    gate.holds(press('right'));
    await answer();
    assert.ok(gate.holds(release('right')));
    await turn();
    assert.deepEqual(said, [
      ...['refuse mousePressed left: no', 'release mouseReleased left: no'],
      ...['pass mousePressed right', 'pass mouseReleased right'],
    ]);
  });

  it('judges the release of what was never pressed', async () => {
    const { gate, said, answer } = open();
    gate.holds(release('left'));
    await answer('no');
    assert.deepEqual(said, ['refuse mouseReleased left: no']);
    gate.holds(press('left'));
    await answer();
    gate.holds(release('left'));
    await turn();
    assert.deepEqual(said.slice(1), ['pass mousePressed left', 'pass mouseReleased left']);
  });

  it('judges the release of a key under the name of another', async () => {
    const { gate, said, answer, asked } = open();
    const key = (type: string, name: string): GuestAct => ({
      ...{ method: 'Input.dispatchKeyEvent', params: { type, code: 'KeyA', key: name }, sessionId: 's' },
    });
    gate.holds(key('keyDown', 'a'));
    await answer();
    gate.holds(key('keyUp', 'Enter'));
    assert.equal(asked.length, 1);
    await answer('no');
    gate.holds(key('keyUp', 'a'));
    await turn();
    assert.deepEqual(said, ['pass keyDown', 'refuse keyUp: no', 'pass keyUp']);
  });

  it('refuses more fingers than are looked at, without a look', async () => {
    const { gate, said, asked } = open();
    const touchPoints = Array.from({ length: 11 }, (_, id) => ({ x: 1, y: 1, id }));
    gate.holds({ method: 'Input.dispatchTouchEvent', params: { type: 'touchStart', touchPoints }, sessionId: 's' });
    await turn();
    assert.equal(asked.length, 0);
    assert.match(said.join(), /^refuse touchStart: .*10 fingers/);
  });

  it('gives back what waits, and does none of it, when another drives', async () => {
    const { gate, said, answer } = open();
    const [down, up] = [press('left'), release('left')];
    gate.holds(down);
    gate.holds(up);
    assert.deepEqual(gate.drain(), [down, up]);
    await answer();
    assert.deepEqual(said, []);
    gate.holds(press('left'));
    await answer();
    assert.deepEqual(said, ['pass mousePressed left']);
  });

  it('does not judge the release of what was let go of for the guest when another took over', async () => {
    const letGo = new Set(['left']);
    const { gate, said, answer, asked } = open(({ params }) => letGo.has(String(params.button)));
    gate.holds(press('left'));
    await answer();
    gate.drain();
    gate.holds(release('left'));
    gate.holds(release('right'));
    await turn();
    assert.equal(asked.length, 1, 'only that of the other is judged');
    await answer('no');
    assert.deepEqual(said, ['pass mousePressed left', 'pass mouseReleased left', 'refuse mouseReleased right: no']);
  });

  it('refuses what nobody can judge', async () => {
    const said: string[] = [];
    const judge: JudgeAct = Object.assign(() => Promise.reject(new Error('busy')), { isNeeded: () => true });
    const gate = createActGate<GuestAct>({
      judge,
      isUpAlready: () => false,
      pass: () => said.push('pass'),
      refuse: (_, why) => said.push(why),
      answerRelease: () => {},
      fail: () => {},
    });
    gate.holds(press('left'));
    await turn();
    assert.match(said.join(), /cannot be seen now/);
  });

  it('lets acts of one mebibyte wait, and one that is larger alone', async () => {
    const { gate, said, answer } = open();
    const text = (size: number): GuestAct => ({
      method: 'Input.insertText',
      params: { text: 'a' },
      sessionId: 's',
      size,
    });
    gate.holds(text(4_000_000));
    gate.holds(text(1));
    assert.match(said.splice(0).join(), /too many acts wait/);
    await answer();
    for (let n = 0; n < 5; n += 1) gate.holds(text(250_000));
    assert.equal(said.filter((one) => /too many/.test(one)).length, 1);
  });

  it('answers what cannot be passed on or refused, and goes on with the next', async () => {
    const said: string[] = [];
    const broken = ({ params }: GuestAct, how: string) => {
      if (params.button === 'left' || params.url) throw new Error('broken');
      said.push(`${how} ${String(params.button)}`);
    };
    const answers: (string | undefined)[] = [undefined, 'no', undefined, undefined, 'no'];
    const judge: JudgeAct = Object.assign(async () => answers.shift(), { isNeeded: () => true });
    const gate = createActGate<GuestAct>({
      judge,
      isUpAlready: () => false,
      pass: (command) => broken(command, 'pass'),
      refuse: (command) => broken(command, 'refuse'),
      answerRelease: () => {},
      fail: ({ params }) => said.push(`fail ${String(params.url ?? params.button)}`),
    });
    for (const button of ['left', 'left', 'right']) gate.holds(press(button));
    await turn();
    assert.deepEqual(said.splice(0), ['fail left', 'fail left', 'pass right']);
    for (const url of ['one', 'two']) gate.holds({ method: 'Page.navigate', params: { url }, sessionId: 's' });
    await turn();
    assert.deepEqual(said, ['fail one', 'fail two']);
  });
});
