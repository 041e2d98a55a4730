// A hand on a real Chromium, without the bus between: what the page saw can be asked of the page.

import { Input } from '@pilothouse/bus';
import { chromium, type Dialog, type Page } from 'playwright-core';
import type { z } from 'zod';
import { createInput } from '../src/input/input.ts';
import { createOpenFields } from '../src/prompts/open-fields.ts';
import { followWithDom } from './follow.ts';

export type Desk = Awaited<ReturnType<typeof openDesk>>;

export async function openDesk(files: Record<string, string> = {}) {
  const browser = await chromium.launch({
    executablePath: '/usr/lib/chromium/chromium-headless-shell',
    // Chromium refuses it as root, and the pages here are our own.
    chromiumSandbox: process.getuid?.() !== 0,
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const first = await context.newPage();
  const { pages, sites, documentsOf, domOf } = followWithDom(context, first);
  let dialog: Dialog | undefined;
  context.on('dialog', (opened) => {
    dialog = opened;
  });
  let touches = 0;
  let isHeld = true;
  const fields = createOpenFields({
    page: () => (dialog ? undefined : pages.current()),
    openFieldOf: (page, deadline) => domOf(page).openField(deadline),
    signal: new AbortController().signal,
    onChange: () => undefined,
  });
  const input = createInput({
    pages,
    sites,
    documentsOf,
    dialog: () =>
      dialog && {
        accept: (text) => answered().accept(text),
        dismiss: () => answered().dismiss(),
      },
    fields,
    onChooser: () => undefined,
    openPrivate: () => pages.open(),
    fileCalled: (name) => files[name],
    isHeld: () => isHeld,
    onTouch: () => {
      touches += 1;
    },
  });
  const answered = (): Dialog => {
    const open = dialog;
    dialog = undefined;
    if (!open) throw new Error('no dialog is open');
    return open;
  };
  let seq = 0;

  return {
    pages,
    input,
    fields,
    page: () => pages.current(),
    touches: () => touches,
    hasDialog: () => dialog !== undefined,
    /** The next inputs of this driver, one after the other. */
    give: (...inputs: z.input<typeof Input>[]) =>
      input.take(
        inputs.map((one) => {
          seq += 1;
          return { seq, input: Input.parse(one) };
        }),
      ),
    /** Another driver. */
    release() {
      seq = 0;
      return input.releaseAll();
    },
    setHeld(held: boolean) {
      isHeld = held;
    },
    show: (html: string) => show(pages.current(), html),
    async close() {
      await input.close();
      await browser.close();
    },
  };
}

/** Shows the page and notes in `log` what it is told, as it is told. */
async function show(page: Page, html: string): Promise<void> {
  await page.goto('about:blank');
  await page.setContent(`<!doctype html><style>body { margin: 0 } #box { position: absolute; inset: 0 0 auto 0; height: 300px;
    width: 100% }</style>${html}<script>
    var log = [];
    document.querySelector('[autofocus]')?.focus();
    for (const kind of ['mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'keydown', 'keyup', 'input', 'paste', 'wheel'])
      addEventListener(kind, (event) => {
        const held = ['alt', 'ctrl', 'meta', 'shift'].filter((key) => event[key + 'Key']).join('+');
        const what = 'code' in event ? [event.key, event.code, event.keyCode, event.location]
          : 'deltaY' in event ? [event.deltaX, event.deltaY]
          : 'clientX' in event ? [event.clientX, event.clientY, event.button]
          : 'data' in event ? [event.inputType, event.data] : [event.clipboardData?.getData('text/plain')];
        log.push([kind, ...what, held].join(' ').trim());
      }, true);
  </script>`);
}

declare const log: string[];

/** What the page was told since it was last asked. */
export function readLog(page: Page): Promise<string[]> {
  return page.evaluate(() => log.splice(0));
}
