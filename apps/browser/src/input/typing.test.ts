import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { NumberedInput } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { until } from '../../../../testkit/until.ts';
import { type Origins, startOrigins } from '../../testing/origins.ts';
import { openSessionAtHost, type SessionAtHost } from '../../testing/session-at-host.ts';

type Input = NumberedInput['input'];

/** Reports everything that it receives, in any way. */
const ear = `<script>
  for (const kind of ['keydown', 'beforeinput', 'input', 'paste', 'compositionupdate'])
    addEventListener(kind, (event) => {
      const text = event.key ?? event.data ?? event.clipboardData?.getData('text') ?? event.target.value;
      if (text) tell(kind + ' ' + text);
    }, true);
</script>`;
const thief = `${ear}<input id="p"><script>
  const take = () => { window.focus(); p.focus() };
  p.addEventListener('focus', () => tell('ready'), { once: true });
  setInterval(take, 3);
  addEventListener('blur', take, true);
</script>`;
/** A frame that takes no focus. */
const calm = `${ear}<input id="p"><script>tell('ready')</script>`;
const form = (
  frame: string,
) => `<style>body { margin: 0 } input { position: absolute; left: 10px; width: 200px; height: 20px }</style>
  <input id="name" aria-label="Your name" style="top: 10px"><input id="word" type="password" aria-label="Your password" style="top: 50px">
  <textarea id="area" aria-label="Notes" style="position: absolute; top: 90px; left: 10px"></textarea>
  <iframe src="${frame}" style="position: absolute; top: 300px; width: 40px; height: 40px"></iframe>
  <script>
    addEventListener('input', ({ target }) => tell(target.id + '=' + target.value), true);
    addEventListener('keydown', ({ target, key }) => tell(target.id + ' key ' + key), true);
  </script>`;

describe('what is typed', () => {
  let opened: SessionAtHost;
  let origins: Origins;
  let session: SessionAtHost['session'];
  let epoch = 1;
  let seq = 0;
  before(async () => {
    [opened, origins] = await Promise.all([openSessionAtHost({ capacity: 1 }), startOrigins()]);
    session = opened.session;
  });
  after(async () => {
    await opened?.close();
    await origins?.close();
  });
  beforeEach(() => {
    epoch += 1;
    seq = 0;
  });

  const stolen = () => origins.told.filter(({ origin }) => origin !== 'here').map(({ text }) => text);
  const has = (text: string) => until(() => origins.told.some((one) => one.text === text), 3000);
  const act = (step: Step) => session.act(step, { epoch });
  async function open(pages: Record<string, string>): Promise<void> {
    origins.serve(pages);
    await act({ action: 'navigate', url: `${origins.here}/` });
    await has('ready');
    origins.told.length = 0;
  }
  async function give(...inputs: Input[]) {
    const numbered = inputs.map((input) => {
      seq += 1;
      return { seq, input };
    });
    const { head } = await session.tell({ type: 'input', epoch: epoch + 1, inputs: numbered });
    return head.ok ? undefined : head.failure;
  }
  const click = (x: number, y: number): Input => ({ action: 'click', x, y, button: 'left', modifiers: [] });
  const keys = (text: string): Input[] => [...text].map((key) => ({ action: 'key', key, modifiers: [] }));
  const key = (name: string): Input => ({ action: 'key', key: name, modifiers: [] });

  for (const from of ['{far}/frame', '{near}/frame'])
    describe(`beside a frame of ${from} that takes the focus`, () => {
      beforeEach(async () => {
        await open({ '/': form(from), '/frame': thief });
      });

      it('by an agent goes into the field that was meant', async () => {
        await act({ action: 'type', target: 'Your password', text: 'correct-horse' });
        await has('word=correct-horse');
        await act({ action: 'type', target: 'Your password', text: 'battery' });
        await has('word=battery');
        await act({ action: 'type', target: 'Your password', text: '' });
        await has('word=');
        await act({ action: 'press', target: 'Your password', key: 'x' });
        await has('word=x');
        await act({ action: 'press', target: 'Your name', key: 'Shift+Y' });
        await has('name=Y');
        assert.deepEqual(stolen(), []);
      });

      it('by a person goes into the field that they clicked', async () => {
        await give(click(50, 60));
        assert.equal(await give({ action: 'type', text: 'person' }), undefined);
        for (const one of keys('ab c')) assert.equal(await give(one), undefined);
        assert.equal(await give({ action: 'compose', text: 'に' }, { action: 'type', text: '日本' }), undefined);
        assert.equal(await give({ action: 'paste', text: 'PASTED' }), undefined);
        await has('word=personab c日本PASTED');
        await give(click(50, 20));
        assert.equal(await give({ action: 'type', text: 'anna' }), undefined);
        await has('name=anna');
        const told = stolen();
        assert.ok(
          told.every((text) => !/person|anna|PASTED|日|に/.test(text) && !/ [a-z]$/.test(text)),
          String(told),
        );
      });

      it('by a person goes nowhere if they clicked no field', async () => {
        assert.equal(await give({ action: 'type', text: 'person' }), 'focus_taken');
        assert.equal(await give(...keys('a')), 'focus_taken');
        assert.equal(await give({ action: 'paste', text: 'b' }), 'focus_taken');
        assert.equal(await give({ action: 'key', key: 'v', modifiers: ['Control'] }), 'focus_taken');
        assert.deepEqual(stolen(), []);
        assert.deepEqual(
          origins.told.filter(({ text }) => text.includes('=')),
          [],
        );
      });
    });

  describe('beside a frame that takes no focus', () => {
    beforeEach(async () => {
      await open({ '/': form('{far}/frame'), '/frame': calm });
    });

    it('can be pressed as keys, which go where the focus is', async () => {
      await give(click(50, 20));
      assert.equal(await give(...keys('ab'), key('Backspace'), key('Tab'), ...keys('cd')), undefined);
      await has('name=a');
      await has('word=cd');
      await has('word key d');
      await give(click(20, 100), ...keys('x'), key('Enter'), ...keys('y'), key('ArrowLeft'), ...keys('z'));
      await has('area=x\nzy');
      assert.deepEqual(stolen(), []);
    });

    it('goes into the frame for a person who clicked the frame', async () => {
      await give(click(20, 320));
      assert.equal(await give({ action: 'type', text: 'for the frame' }, ...keys('!')), undefined);
      await until(() => stolen().includes('input !') && stolen().includes('input for the frame'), 3000);
      await act({ action: 'type', target: { css: '#p' }, text: 'once more' }).catch(() => undefined);
    });

    it('is followed by a key that types nothing', async () => {
      await act({ action: 'type', target: 'Notes', text: 'one' });
      await act({ action: 'press', target: 'Notes', key: 'Enter' });
      await has('area key Enter');
      await act({ action: 'press', key: 'z' });
      await until(() => origins.told.some(({ text }) => /^area=.*z/s.test(text)), 3000);
      assert.deepEqual(stolen(), []);
    });
  });
});

describe('text that is put into a field in one task', () => {
  let opened: SessionAtHost;
  let origins: Origins;
  let session: SessionAtHost['session'];
  before(async () => {
    [opened, origins] = await Promise.all([openSessionAtHost({ capacity: 1 }), startOrigins()]);
    session = opened.session;
    const kinds = ['text', 'search', 'tel', 'url', 'email', 'number', 'password'];
    const chosen = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'];
    origins.serve({
      '/': `${[...kinds, ...chosen].map((kind) => `<label>${kind} <input type="${kind}" id="${kind}"></label>`).join('')}
        <label>short <input id="short" maxlength="5"></label><label>kept <input id="kept" readonly></label>
        <label>lines <textarea id="lines"></textarea></label>
        <div role="textbox" aria-label="rich" contenteditable id="rich">old <b>words</b></div>
        <label>upper <input id="upper"></label><label>refuses <input id="refuses"></label><label>passes <input id="passes"></label>
        <label>editor <textarea id="editor"></textarea></label>
        <script>
          upper.addEventListener('input', () => { upper.value = upper.value.toUpperCase() });
          refuses.addEventListener('beforeinput', (event) => event.preventDefault());
          passes.addEventListener('focus', () => text.focus());
          editor.addEventListener('beforeinput', (event) => { event.preventDefault(); editor.value = event.data });
          addEventListener('input', (event) => tell(event.target.id + ' ' + event.isTrusted + ' ' + event.inputType), true);
          addEventListener('change', (event) => tell(event.target.id + ' change'), true);
        </script>`,
    });
    await session.act({ action: 'navigate', url: `${origins.here}/` });
  });
  after(async () => {
    await opened?.close();
    await origins?.close();
  });
  const type = (target: string, text: string) => session.failureOf({ action: 'type', target: { label: target }, text });

  const cases: [string, string, string | undefined][] = [
    ['text', 'héllo 👩‍👩‍👧‍👦 e\u0301 ﷺ שלום', undefined],
    ['text', '', undefined],
    ['search', '<b>&amp;`$x`\\', undefined],
    ['tel', '+49 1', undefined],
    ['url', 'not an address', undefined],
    ['email', 'not an address', undefined],
    ['number', '-12.5', undefined],
    ['number', '1e', 'wrong_value'],
    ['number', 'abc', 'wrong_value'],
    ['password', 'correct horse', undefined],
    ['short', '12345', undefined],
    ['short', '123456', 'wrong_value'],
    ['kept', 'x', 'unsupported'],
    ['lines', 'one\r\ntwo\n\nthree', undefined],
    ['rich', 'one\ntwo', undefined],
    ['rich', '', undefined],
    ['upper', 'abc', 'wrong_value'],
    ['upper', 'ABC', undefined],
    ['refuses', 'abc', 'wrong_value'],
    ['editor', 'by itself', undefined],
    // Not typed again: it could go there again.
    ['passes', 'abc', 'focus_taken'],
    ['date', '2031-02-03', undefined],
    ['time', '12:30', undefined],
    ['datetime-local', '2031-02-03T12:30', undefined],
    ['month', '2031-02', undefined],
    ['week', '2031-W05', undefined],
    ['color', '#ff0000', undefined],
    ['range', '40', undefined],
  ];
  for (const [target, text, failure] of cases)
    it(`${JSON.stringify(text)} into ${target}: ${failure ?? 'done'}`, async () => {
      assert.equal(await type(target, text), failure);
    });

  it('sends the page the events that the browser would send', async () => {
    origins.told.length = 0;
    await type('text', 'told');
    await type('search', 'x');
    await until(() => origins.told.some(({ text }) => text === 'text true insertText'), 3000);
    await until(() => origins.told.some(({ text }) => text === 'text change'), 3000);
  });
});
