// The steps of a script done by the bare engine: a check of the sites and of what is expected of them, before anything of
// ours is in between. It knows just enough for the scripts of the set.
import { readFile } from 'node:fs/promises';
import { type Json, parseScript, type Step } from '@pilothouse/contract';
import type { Browser, Dialog, Locator, Page } from 'playwright-core';
import { find, type Purpose } from './bare.find.ts';
import type { Outcome } from './judge.ts';
import type { NamedFile, Script } from './script.ts';

const stepMs = 8000;
/** For what a script expects to fail: nothing of the sites comes later than this. */
const hopelessMs = 2500;

type ExtractStep = Extract<Step, { action: 'extract' }>;

export async function runBare(browser: Browser, script: Script): Promise<Outcome> {
  const done: Outcome = { status: 'success', failedStep: null, error: null, lines: [], data: {}, files: [] };
  const parsed =
    'lines' in script.ask ? parseScript(script.ask.lines.join('\n')) : { ok: true as const, steps: script.ask.steps };
  if (!parsed.ok) return { ...done, status: 'refused', lines: parsed.errors.map(({ line }) => line) };

  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const pages: Page[] = [];
  let front: Page | undefined;
  let dialog: Dialog | undefined;
  let onDialog = () => {};
  const data: Record<string, Json> = {};
  const limit = script.end.status === 'failed' ? hopelessMs : stepMs;
  context.setDefaultTimeout(limit);
  context.on('page', (page) => {
    pages.push(page);
    front = page;
    page.on('dialog', (asked) => {
      dialog = asked;
      onDialog();
    });
    page.on('close', () => {
      if (front === page) front = context.pages().at(-1);
    });
  });
  await context.newPage();

  const current = () => {
    if (!front) throw new Error('there is no page');
    return front;
  };
  const reach = (target: NonNullable<ExtractStep['target']>, purpose: Purpose) => find(current, target, purpose, limit);
  /** A click that makes the page ask something does not end before the answer. */
  const orDialog = (work: Promise<unknown>) =>
    Promise.race([
      work,
      new Promise<void>((resolve) => {
        onDialog = resolve;
      }),
    ]);

  async function act(step: Step): Promise<unknown> {
    const page = current();
    switch (step.action) {
      case 'navigate':
        return page.goto(step.url);
      case 'back':
        return page.goBack();
      case 'forward':
        return page.goForward();
      case 'reload':
        return page.reload();
      case 'click': {
        const found = await reach(step.target, 'press');
        const clicked = found.click().catch(async (error) => {
          // The window that was clicked in may close itself.
          if (page.isClosed()) return;
          throw (await found.isDisabled()) ? new Error('the element is disabled') : error;
        });
        return orDialog(clicked);
      }
      case 'double_click':
        return (await reach(step.target, 'press')).dblclick();
      case 'hover':
        return (await reach(step.target, 'press')).hover();
      case 'type':
        return (await reach(step.target, 'fill')).fill(step.text);
      case 'press':
        return step.target ? (await reach(step.target, 'fill')).press(step.key) : page.keyboard.press(step.key);
      case 'select':
        return select(page, await reach(step.target, 'select'), step.option);
      case 'check':
        return (await reach(step.target, 'check')).setChecked(step.checked);
      case 'upload':
        return upload(
          page,
          await reach(step.target, 'upload'),
          script.brings?.find(({ name }) => name === step.file),
        );
      case 'scroll':
        return step.target
          ? (await reach(step.target, 'any')).scrollIntoViewIfNeeded()
          : page.mouse.wheel(step.delta_x ?? 0, step.delta_y ?? 0);
      case 'drag':
        return (await reach(step.from, 'any')).dragTo(await reach(step.to, 'any'));
      case 'wait':
        return wait(current, step, limit);
      case 'extract':
        data[step.as] = await extract(page, step, step.target ? await reach(step.target, 'any') : undefined);
        return;
      case 'screenshot':
        return page.screenshot();
      case 'new_page': {
        const opened = await context.newPage();
        return step.url ? opened.goto(step.url) : undefined;
      }
      case 'focus_page':
        front = pages[Number(step.page.slice(1)) - 1];
        return current().bringToFront();
      case 'close_page':
        return (step.page ? pages[Number(step.page.slice(1)) - 1] : page)?.close();
      case 'answer_dialog':
        if (!dialog) throw new Error('the page asks nothing');
        await (step.accept ? dialog.accept(step.text) : dialog.dismiss());
        dialog = undefined;
        return;
      case 'download': {
        const [begun, found] = [page.waitForEvent('download'), await reach(step.target, 'press')];
        await found.click();
        const file = await begun;
        return done.files.push({ name: file.suggestedFilename(), bytes: await readFile(await file.path()) });
      }
      case 'ask':
        throw new Error('there is nobody to ask');
    }
  }

  try {
    for (const [index, step] of parsed.steps.entries()) {
      done.failedStep = index + 1;
      await act(step);
    }
    return { ...done, failedStep: null, data };
  } catch (error) {
    return { ...done, status: 'failed', error: error instanceof Error ? error.message : String(error) };
  } finally {
    await context.close();
  }
}

async function select(page: Page, list: Locator, option: string): Promise<unknown> {
  const kind = await list.evaluate((element) =>
    element instanceof HTMLSelectElement ? (element.multiple ? 'several' : 'one') : 'drawn',
  );
  if (kind === 'drawn') {
    if (await list.evaluate((element) => element instanceof HTMLInputElement)) await list.fill(option);
    else await list.click();
    return page.getByRole('option', { name: option, exact: true }).click();
  }
  const chosen = list.evaluate((element) =>
    [...(element as HTMLSelectElement).selectedOptions].map(({ label }) => label),
  );
  const labels = kind === 'several' ? [...(await chosen), option] : [option];
  return list.selectOption(labels.map((label) => ({ label }))).catch((cause) => {
    throw new Error('the list has no such option', { cause });
  });
}

async function upload(page: Page, field: Locator, file: NamedFile | undefined): Promise<void> {
  if (!file) throw new Error('there is no such file to upload');
  const given = { name: file.name, mimeType: 'application/octet-stream', buffer: Buffer.from(file.bytes) };
  if (await field.evaluate((element) => element instanceof HTMLInputElement)) return field.setInputFiles(given);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), field.click()]);
  await chooser.setFiles(given);
}

async function wait(page: () => Page, { for: what, timeout_secs }: Extract<Step, { action: 'wait' }>, limit: number) {
  if ('secs' in what) return page().waitForTimeout(what.secs * 1000);
  if ('idle' in what) return page().waitForLoadState('networkidle');
  const end = performance.now() + Math.min(limit, (timeout_secs ?? Infinity) * 1000);
  const isSeen = async () => {
    if ('url' in what) return page().url().includes(what.url);
    const found = page()
      .frames()
      .map((frame) => ('text' in what ? frame.getByText(what.text) : frame.locator(what.selector)));
    const counts = await Promise.all(
      found.map((one) =>
        one
          .filter({ visible: true })
          .count()
          .catch(() => 0),
      ),
    );
    return counts.some((count) => count > 0);
  };
  while (!(await isSeen())) {
    if (performance.now() > end) throw new Error(`${JSON.stringify(what)} did not come in time`);
    await page().waitForTimeout(50);
  }
}

async function extract(page: Page, step: ExtractStep, found: Locator | undefined): Promise<Json> {
  if (step.kind === 'records') {
    const all = await Promise.all(
      page.frames().map((frame) => frame.evaluate(readRecords, { each: step.each ?? '', fields: step.fields ?? {} })),
    );
    return all.flat();
  }
  if (!found) return page.locator('body').innerText();
  if (step.kind === 'table') return found.evaluate(readTable);
  return step.kind === 'attributes' ? found.evaluate(readAttributes) : found.evaluate(readText);
}

// All below runs in the page.

function readText(element: Element): string {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  return isField ? element.value : (element as HTMLElement).innerText.trim();
}

function readAttributes(element: Element): Record<string, string> {
  const all = [...element.attributes].map(({ name, value }) => [name, value]);
  return Object.fromEntries([...all, ['text', (element as HTMLElement).innerText.trim()]]);
}

function readTable(element: Element): Record<string, string>[] {
  const [head, ...rows] = [...(element.closest('table')?.rows ?? [])];
  const texts = (row: HTMLTableRowElement | undefined) => [...(row?.cells ?? [])].map((cell) => cell.innerText.trim());
  const names = texts(head);
  return rows.map((row) => Object.fromEntries(texts(row).map((text, index) => [names[index] ?? '', text])));
}

type Fields = Record<string, { css?: string; attribute?: string; type?: string }>;
function readRecords({ each, fields }: { each: string; fields: Fields }): Record<string, string | number>[] {
  const read = (row: Element, { css, attribute, type }: Fields[string]) => {
    const element = (css ? row.querySelector(css) : row) as HTMLElement;
    const text = attribute ? (element.getAttribute(attribute) ?? '') : element.innerText.trim();
    return type === 'number' ? Number.parseFloat(text) : text;
  };
  return [...document.querySelectorAll(each)].map((row) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, read(row, field)])),
  );
}
