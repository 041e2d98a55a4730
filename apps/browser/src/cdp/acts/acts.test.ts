import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ProgramAct } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import { decodeProgramReport, encodeProgramReport } from '../../../../../packages/bus/src/messages/program-acts.ts';
import { until } from '../../../../../testkit/until.ts';
import { connectThroughDoor, contextIdOf } from '../../../testing/doors.ts';
import { type SharedChromium, startSharedChromium } from '../../../testing/guests.ts';
import { soon } from '../../../testing/stage.ts';
import { installMask } from '../../dom/mask.ts';

const html = `<title>Desk</title><body style="height: 3000px"><button onclick="out.value = Number(out.value) + 1"><b>Count</b></button>
<label>Name <input id=name></label><label>Password <input type=password id=secret></label>
<label>Code <input id=code oninput="secret.focus()"></label><iframe srcdoc="<input id=inner>"></iframe><output id=out>0</output>`;

type Told = Partial<ProgramAct> & Pick<ProgramAct, 'kind'>;
/** Without times and places. */
const briefly = (acts: readonly ProgramAct[]): Told[] =>
  acts.map(({ ago_ms: _, run_ms: __, point: ___, element, button: ____, ...act }) => ({
    ...act,
    ...(element && { element: { role: element.role, name: element.name, box: null } }),
  }));
const done = { outcome: 'done', error: null, count: 1 } as const;
const field = (role: string, name: string) => ({ element: { role, name, box: null } });

describe('what a program does, at its door', () => {
  let chromium: SharedChromium;
  let context: BrowserContext;
  let contextId: string;
  let program: Awaited<ReturnType<typeof connectThroughDoor>>;
  let page: Page;
  let acts: ProgramAct[] = [];
  before(async () => {
    chromium = await startSharedChromium(34_900);
    context = await chromium.browser.newContext({ viewport: { width: 900, height: 600 } });
    const own = await context.newPage();
    await installMask(own);
    contextId = await contextIdOf(context);
    program = await connectThroughDoor(chromium, contextId, { onActs: (some) => acts.push(...some) });
    page = program.browser.contexts()[0]?.pages()[0] ?? assert.fail('no page');
    page.setDefaultTimeout(10_000);
  });
  after(async () => {
    await program?.close();
    await chromium?.end();
  });
  beforeEach(async () => {
    acts = [];
    await page.goto(`data:text/html,${encodeURIComponent(html)}`);
    // Behind everything of the test before.
    await until(() => acts.at(-1)?.url?.startsWith('data:') === true, 10_000);
    acts = [];
  });
  const heard = async (count: number) => {
    await until(() => acts.length >= count, 10_000);
    return briefly(acts);
  };

  it('is a line for each act, with the element that it was about, in order', async () => {
    await page.getByText('Count').click();
    await page.getByLabel('Name').fill('Zoë');
    await page.getByLabel('Name').press('Enter');
    await page.reload();
    assert.deepEqual(await heard(4), [
      { kind: 'click', ...done, ...field('button', 'Count') },
      { kind: 'type', ...done, ...field('textbox', 'Name'), chars: 3, text: 'Zoë' },
      { kind: 'press', ...done, key: 'Enter' },
      { kind: 'reload', ...done },
    ]);
    const [click] = acts;
    assert.ok(click?.point && click.element?.box && click.point.x > click.element.box.x);
  });

  it('has no line for a pointer that moves, for reading, or for scripts', async () => {
    for (let n = 0; n < 100; n += 1) await page.mouse.move(n, n);
    await page.evaluate('document.body.click()');
    assert.equal(await page.title(), 'Desk');
    await page.screenshot();
    await page.keyboard.press('Shift');
    await page.reload();
    assert.deepEqual(await heard(1), [{ kind: 'reload', ...done }]);
  });

  it('joins keys into one text for each field, and turns of the wheel into one scroll', async () => {
    await page.getByLabel('Name').pressSequentially('hello there');
    await page.mouse.wheel(0, 100);
    await page.mouse.wheel(0, 120);
    await page.keyboard.press('Control+A');
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('Backspace');
    await page.reload();
    assert.deepEqual(await heard(5), [
      { kind: 'type', ...done, ...field('textbox', 'Name'), chars: 11, text: 'hello there' },
      { kind: 'scroll', ...done, count: 2, delta: { x: 0, y: 220 } },
      { kind: 'press', ...done, key: 'Control+A' },
      { kind: 'press', ...done, count: 3, key: 'Backspace' },
      { kind: 'reload', ...done },
    ]);
  });

  it('never has what was typed into a field for secrets, nor its length', async () => {
    await page.getByLabel('Password').fill('hunter2hunter2');
    await page.getByLabel('Password').pressSequentially('hunter3');
    await page.reload();
    const told = await heard(2);
    assert.deepEqual(told[0], { kind: 'type', ...done, ...field('textbox', 'Password') });
    assert.doesNotMatch(JSON.stringify(acts), /hunter/);
    assert.ok(told.every(({ text, chars }) => text === undefined && chars === undefined));
  });

  it('has the name that was typed just before the password', async () => {
    await page.getByLabel('Name').fill('zoe');
    await page.getByLabel('Password').fill('hunter2');
    await page.getByLabel('Name').fill('ann');
    await page.reload();
    assert.deepEqual(
      (await heard(4)).map(({ text }) => text),
      ['zoe', undefined, 'ann', undefined],
    );
  });

  it('has only the length where the field changed under the keys, or is in a frame', async () => {
    await page.getByLabel('Code').pressSequentially('12');
    await page.reload();
    const told = await heard(2);
    assert.doesNotMatch(JSON.stringify(told), /"text"/);
    acts = [];
    await page.frameLocator('iframe').locator('input').fill('in a frame');
    await page.reload();
    assert.deepEqual((await heard(2))[0], { kind: 'type', ...done, chars: 10 });
  });

  it('tells what failed and what was refused, and counts what is tried again and again', async () => {
    await assert.rejects(page.goto('http://127.0.0.1:9/'));
    await assert.rejects(page.goto('file:///etc/hostname'));
    const [failed, refused] = await heard(2);
    assert.deepEqual([failed?.kind, failed?.outcome], ['navigate', 'failed']);
    assert.match(failed?.error ?? '', /ERR_/);
    assert.deepEqual([refused?.kind, refused?.outcome], ['navigate', 'refused']);
    acts = [];
    await program.door.fence({ epoch: 7, by: 'person' }, soon(5000));
    for (let n = 0; n < 5; n += 1) await page.mouse.click(20, 20).catch(() => {});
    await page.keyboard.insertText('typed while a person drives').catch(() => {});
    await program.door.release(8, soon(5000));
    const told = await heard(2);
    assert.equal(
      told.filter(({ kind }) => kind === 'click').reduce((sum, { count = 0 }) => sum + count, 0),
      5,
    );
    assert.ok(told.length < 6, 'in fewer lines');
    assert.ok(told.every(({ error, outcome }) => outcome === 'refused' && /a person drives/.test(error ?? '')));
    assert.doesNotMatch(JSON.stringify(acts), /typed while/);
  });

  it('has nothing that cannot be read, however large the page is and however far it is turned', async () => {
    await page.evaluate(
      `document.body.innerHTML = '<button style="position: absolute; left: 0; top: 0; width: 4e6px; height: 4e6px">Huge</button>'`,
    );
    await page.mouse.click(20, 20);
    for (let n = 0; n < 3; n += 1) await page.mouse.wheel(900_000, -900_000);
    await page.reload();
    await heard(3);
    const [click, scroll] = decodeProgramReport(encodeProgramReport({ epoch: 1, acts })).acts;
    assert.deepEqual([click?.element?.name, click?.element?.box?.width], ['Huge', 1e6]);
    assert.deepEqual(scroll?.delta, { x: 1e6, y: -1e6 });
  });

  it('is told in counts where it comes faster than a person can follow', async () => {
    const at = performance.now();
    for (let n = 0; n < 200; n += 1) await page.mouse.click(20, 20);
    const seconds = (performance.now() - at) / 1000;
    await until(() => acts.reduce((sum, { count }) => sum + count, 0) === 200, 10_000);
    assert.ok(acts.length <= 24 * (seconds + 2), `${acts.length} lines in ${seconds} s`);
    assert.ok(acts.length < 200);
  });

  it('is told to the end when the program leaves', async () => {
    const told: ProgramAct[] = [];
    const other = await connectThroughDoor(chromium, contextId, { onActs: (some) => told.push(...some) });
    const tab = other.browser.contexts()[0]?.pages()[0] ?? assert.fail('no page');
    await tab.keyboard.press('Tab');
    await tab.keyboard.insertText('the last words');
    await other.door.tellActs();
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['press', 'type'],
    );
    await tab.keyboard.press('Tab');
    await other.door.tellActs();
    assert.equal(told.length, 2, 'and nothing after that');
    await other.close();
  });
});
