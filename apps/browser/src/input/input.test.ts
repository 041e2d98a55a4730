import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../../testkit/until.ts';
import { type Desk, openDesk, readLog } from '../../testing/desk.ts';
import { soon } from '../../testing/stage.ts';
import { within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';

const failure = (name: string) => (error: unknown) => error instanceof StepFailure && error.failure === name;

describe('the input of a person', () => {
  let folder: string;
  let desk: Desk;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'input-test-'));
    await writeFile(join(folder, 'one.txt'), 'one');
    desk = await openDesk({ 'one.txt': join(folder, 'one.txt') });
  });
  after(async () => {
    await desk?.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => desk.release());
  const log = () => readLog(desk.page());
  const value = () => desk.page().locator('#box').inputValue();

  it('clicks, double-clicks and drags at the given point, with modifiers', async () => {
    await desk.show('<div id="box">');
    await desk.give(
      { action: 'click', x: 10, y: 20 },
      { action: 'click', x: 30, y: 20, button: 'right', modifiers: ['Control', 'Shift'] },
      { action: 'double_click', x: 50, y: 20 },
    );
    assert.deepEqual(await log(), [
      ...['mousedown 10 20 0', 'mouseup 10 20 0', 'click 10 20 0'],
      ...['mousedown 30 20 2 ctrl+shift', 'mouseup 30 20 2 ctrl+shift', 'auxclick 30 20 2 ctrl+shift'],
      ...['mousedown 50 20 0', 'mouseup 50 20 0', 'click 50 20 0'],
      ...['mousedown 50 20 0', 'mouseup 50 20 0', 'click 50 20 0', 'dblclick 50 20 0'],
    ]);
    await desk.show('<input type="range" id="box" style="width: 500px; height: 50px" min="0" max="100" value="0">');
    await desk.give(
      { action: 'down', x: 8, y: 25 },
      { action: 'move', x: 100, y: 25 },
      { action: 'move', x: 250, y: 25 },
    );
    await desk.give({ action: 'up', x: 250, y: 25 });
    assert.equal(await value(), '50', 'dragged');
  });

  it('scrolls where the mouse is', async () => {
    await desk.show('<div id="box" style="overflow: auto"><div style="height: 5000px">');
    await desk.give({ action: 'move', x: 100, y: 100 }, { action: 'scroll', delta_y: 240 });
    // The event reaches the page beside the scrolling, not before it.
    await until(async () => (await log()).includes('wheel 0 240'), 3000);
    await until(() => desk.page().evaluate('document.getElementById("box").scrollTop === 240'), 3000);
  });

  it('presses keys with their codes and modifiers', async () => {
    await desk.show('<textarea id="box" autofocus></textarea>');
    await desk.give({ action: 'key', key: 'a' }, { action: 'key', key: 'B', modifiers: ['Shift'] });
    assert.deepEqual(await log(), [
      ...['keydown a KeyA 65 0', 'input insertText a', 'keyup a KeyA 65 0'],
      ...['keydown Shift ShiftLeft 16 1 shift', 'keydown B KeyB 66 0 shift', 'input insertText B'],
      ...['keyup B KeyB 66 0 shift', 'keyup Shift ShiftLeft 16 1'],
    ]);
    await desk.give({ action: 'key', key: 'Enter' }, { action: 'key', key: 'ß' }, { action: 'key', key: 'Numpad4' });
    assert.equal(await value(), 'aB\nß4');
    await assert.rejects(desk.give({ action: 'key', key: 'Nonsense' }), failure('unsupported'));
  });

  it('edits with shortcuts: select all, cut, paste, undo, redo, copy', async () => {
    await desk.show('<textarea id="box" autofocus></textarea>');
    const control = (key: string) => ({ action: 'key' as const, key, modifiers: ['Control' as const] });
    await desk.give({ action: 'type', text: 'some text' }, control('a'), control('x'));
    assert.equal(await value(), '');
    await desk.give(control('v'), control('v'));
    assert.equal(await value(), 'some textsome text');
    await desk.give(control('z'));
    assert.equal(await value(), 'some text');
    await desk.give({ action: 'key', key: 'z', modifiers: ['Control', 'Shift'] });
    assert.equal(await value(), 'some textsome text');
    await desk.give({ action: 'key', key: 'a', modifiers: ['Meta'] }, control('c'), { action: 'key', key: 'End' });
    await desk.give(control('v'));
    assert.equal(await value(), 'some text'.repeat(4));
  });

  it('inserts text, also of an input method, and sends the page a paste event', async () => {
    await desk.show('<textarea id="box" autofocus></textarea>');
    await desk.give(
      { action: 'compose', text: 'に' },
      { action: 'compose', text: 'にほ' },
      { action: 'type', text: '日本' },
    );
    await desk.give({ action: 'compose', text: 'x' }, { action: 'compose', text: '' });
    assert.equal(await value(), '日本');
    await log();
    await desk.give({ action: 'paste', text: 'one\ntwo' });
    assert.equal(await value(), '日本one\ntwo');
    assert.ok((await log()).includes('paste one\ntwo'));
    await desk.page().evaluate(`document.addEventListener('paste', (event) => {
      event.preventDefault(); event.target.value = event.clipboardData.getData('text/plain').toUpperCase() })`);
    await desk.give({ action: 'paste', text: 'three' });
    assert.equal(await value(), 'THREE', 'the page dealt with it by itself');
  });

  it('answers a dialog that a click opened, and touches nothing else before', async () => {
    await desk.show('<button id="box" onclick="this.textContent = prompt(1)">x</button>');
    await within(soon(2500), desk.give({ action: 'click', x: 10, y: 10 }));
    assert.ok(desk.hasDialog(), 'the press is not waited for');
    await desk.give({ action: 'move', x: 50, y: 50 });
    await assert.rejects(desk.give({ action: 'click', x: 10, y: 10 }), failure('dialog_open'));
    await desk.give({ action: 'answer_dialog', accept: true, text: 'answer' });
    await until(async () => (await desk.page().locator('#box').textContent()) === 'answer', 2000);
    await assert.rejects(desk.give({ action: 'answer_dialog', accept: true }), failure('not_found'));
    assert.equal((await log()).filter((line) => line.startsWith('click')).length, 1);
  });

  it('gives files to the chooser that a click opened', async () => {
    await desk.show('<input type="file" id="box">');
    await assert.rejects(desk.give({ action: 'choose_files', files: [] }), failure('not_found'));
    await desk.give({ action: 'click', x: 50, y: 150 });
    await assert.rejects(desk.give({ action: 'choose_files', files: ['other.txt'] }), failure('not_found'));
    // The chooser opens a moment after the click.
    await until(
      () =>
        desk.give({ action: 'choose_files', files: ['one.txt'] }).then(
          () => true,
          () => false,
        ),
      3000,
    );
    assert.equal(await desk.page().evaluate('document.getElementById("box").files[0].name'), 'one.txt');
  });

  it('opens addresses, moves in the history, and opens, shows and closes pages', async () => {
    const address = (title: string) => `data:text/html,<title>${title}</title>${title}`;
    // A page that is just being replaced has no title.
    const title = () =>
      desk
        .page()
        .title()
        .catch(() => undefined);
    const shows = (expected: string) => until(async () => (await title()) === expected, 2000);
    await desk.give({ action: 'navigate', url: address('One') }, { action: 'navigate', url: address('Two') });
    await shows('Two');
    await desk.give({ action: 'back' });
    await shows('One');
    await desk.give({ action: 'forward' }, { action: 'reload' });
    await shows('Two');
    await assert.rejects(desk.give({ action: 'forward' }), failure('navigation_failed'));
    await assert.rejects(desk.give({ action: 'navigate', url: 'file:///etc/passwd' }), failure('unsupported'));
    await assert.rejects(desk.give({ action: 'navigate', url: 'http://127.0.0.1:1/' }), failure('navigation_failed'));

    const first = desk.pages.id(desk.page());
    await desk.give({ action: 'new_page', url: address('Three') });
    await shows('Three');
    const third = desk.pages.id(desk.page());
    await desk.give({ action: 'focus', page: first });
    assert.equal(desk.pages.id(desk.page()), first);
    await desk.give({ action: 'navigate', url: 'data:text/html,<textarea id="box" autofocus></textarea>' });
    // A person sees the field before they click it.
    await desk.page().waitForSelector('#box');
    await desk.give({ action: 'click', x: 20, y: 20 }, { action: 'type', text: 'here' });
    assert.equal(await value(), 'here');
    await desk.give({ action: 'close_page', page: third });
    await assert.rejects(desk.give({ action: 'focus', page: third }), failure('not_found'));
  });

  it('leaves no button down for the next driver, and clicks nothing by releasing it', async () => {
    await desk.show('<button id="box" onclick="document.title = 1">x</button>');
    await desk.give({ action: 'down', x: 10, y: 10 });
    assert.deepEqual(await log(), ['mousedown 10 10 0']);
    const early = desk.input.take([{ seq: 3, input: { action: 'type', text: 'never' } }]);
    early.catch(() => undefined);
    await desk.release();
    await assert.rejects(early, failure('stale_epoch'));
    const after = await log();
    assert.ok(
      after.some((line) => line.startsWith('mouseup -1 -1')),
      String(after),
    );
    assert.equal(await desk.page().title(), '');
    await desk.give({ action: 'click', x: 10, y: 10 });
    assert.equal(await desk.page().title(), '1');
  });

  it('leaves nothing pending for the next driver: no page opens or closes later', async () => {
    const address = (title: string) => `data:text/html,<title>${title}</title>`;
    const seen = () => desk.pages.all().map((page) => desk.pages.id(page));
    for (const waitMs of [0, 1, 3, 6, 10, 20, 40]) {
      for (const input of [{ action: 'new_page', url: address(`New ${waitMs}`) }, { action: 'close_page' }] as const) {
        await desk.release();
        // When the last page closes, another opens.
        while (desk.pages.all().length < 2) await desk.pages.open();
        const given = desk.give(input).catch(() => undefined);
        // A fixed wait: the hand-over is to come at various moments of the input, which nothing announces.
        await sleep(waitMs);
        await desk.release();
        const at = seen();
        await given;
        // The browser does what it was told before this page first.
        const barrier = await desk.page().context().newPage();
        await barrier.close();
        assert.deepEqual(seen(), at, `${input.action} after ${waitMs} ms`);
      }
    }
    for (const page of desk.pages.all().slice(1)) await page.close();
  });

  it('does nothing once the host lost its lease, also no input that waited for its turn', async () => {
    await desk.show('<textarea id="box" autofocus></textarea>');
    // The first input of a driver waits for the page in any case.
    await desk.give({ action: 'move', x: 5, y: 5 });
    // The page is busy with the first for as long as it takes to lose the lease, and logs when it begins.
    const compute = `console.log('busy'); const end = Date.now() + 1000; while (Date.now() < end);`;
    await desk.page().evaluate(`box.addEventListener('input', () => { ${compute} }, { once: true })`);
    const busy = desk.page().waitForEvent('console');
    const first = desk.give({ action: 'type', text: 'a' });
    const second = desk.give({ action: 'type', text: 'b' });
    second.catch(() => undefined);
    await busy;
    desk.setHeld(false);
    await Promise.allSettled([first, second]);
    desk.setHeld(true);
    await first;
    await assert.rejects(second, failure('no_lease'));
    assert.equal(await value(), 'a');
  });

  it('waits for the work of the former driver, and does nothing for a driver that is replaced by then', async () => {
    await desk.show('<textarea id="box" autofocus></textarea>');
    const inHand = Promise.withResolvers<void>();
    const type = (text: string) => desk.input.take([{ seq: 1, input: { action: 'type', text } }]);
    const second = desk.input.releaseAll(inHand.promise);
    const bySecond = type('second');
    bySecond.catch(() => undefined);
    const third = desk.input.releaseAll();
    const byThird = type('third');
    await desk.page().evaluate('0');
    assert.equal(await value(), '');
    inHand.resolve();
    await Promise.all([second, third]);
    await assert.rejects(bySecond, failure('stale_epoch'));
    assert.equal(await byThird, 1);
    assert.equal(await value(), 'third');
  });

  it('waits for a busy page, but not for ever for a page that hangs', async () => {
    await desk.show('<textarea id="box" autofocus></textarea>');
    /** Resolves when it has begun. */
    const busy = async (ms: number) => {
      const begun = desk.page().waitForEvent('console');
      const loop = `console.log('busy'); const end = Date.now() + ${ms}; while (Date.now() < end);`;
      await desk.page().evaluate(`setTimeout(() => { ${loop} })`);
      await begun;
    };
    await busy(1000);
    await desk.give({ action: 'type', text: 'a' }, { action: 'key', key: 'b' });
    assert.equal(await value(), 'ab');

    await busy(6000);
    const given = Array.from({ length: 20 }, (_, index) => desk.give({ action: 'type', text: String(index) }));
    // All of them together wait for it once.
    const outcomes = await within(soon(5500), Promise.allSettled(given));
    assert.ok(outcomes.every((one) => one.status === 'rejected' && failure('timeout')(one.reason)));
    await until(
      () =>
        desk.give({ action: 'type', text: '!' }).then(
          () => true,
          () => false,
        ),
      10_000,
    );
    assert.equal(await value(), 'ab0!', 'what it was handed before comes late, and nothing else');
    assert.ok(desk.touches() > 0);
  });
});
