// Both ways from a press to a picture on a canvas: a person at the console, and bare Chromium behind a plain page.
import { type CDPSession, chromium } from 'playwright-core';
import type { Installation } from '../../testkit/installation.ts';
import { until } from '../../testkit/until.ts';
import { type BareCanvas, serveBareCanvas } from './bare-canvas.ts';
import { pressAt } from './pressed-page.ts';
import { openViewer, type Screen, shell, type Viewer } from './viewer.ts';

/** Wide enough for a machine that is busy. */
const soon = { timeout: 30_000 };

export type Press = 'key' | 'mouse';
export type Side = {
  name: 'ours' | 'bare';
  screen: Screen;
  /** Presses once. Of this many presses the page shows the colour. */
  press(kind: Press): Promise<unknown>;
  presses: number;
};

/** A session whose agent waits at that address, shown in the console. */
export async function openConsoleSide({ client, baseUrl }: Installation, url: string) {
  const steps: NonNullable<Parameters<typeof client.sendChat>[0]['steps']> = [
    { action: 'navigate', url },
    { action: 'wait', for: { text: 'Never said' }, timeout_secs: 600 },
  ];
  const { session_id: sessionId } = await client.sendChat({ prompt: 'Show the page', steps });
  const viewer = await openViewer();
  const { page, cdp, screen } = viewer;
  const drivenBy = (state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);
  try {
    await page.goto(`${baseUrl}/sessions/${sessionId}`);
    await page
      .getByTestId('address')
      .filter({ hasText: new URL(url).host })
      .waitFor(soon);
    await drivenBy('agent');
    await until(async () => (await screen.painted()) > 0, soon.timeout);
    const box = await page.getByTestId('picture').boundingBox();
    if (!box) throw new Error('the console shows no picture');
    const scale = box.width / 1280;
    const point = { x: box.x + pressAt.x * scale, y: box.y + pressAt.y * scale };
    const side: Side = { name: 'ours', screen, presses: 0, press: (kind) => press(cdp, kind, point) };
    const takeWheel = async () => {
      await page.keyboard.press('Shift+W');
      await drivenBy('you');
      await until(() => page.evaluate<boolean>('document.activeElement?.dataset.testid === "page-keys"'), soon.timeout);
      await page.mouse.move(point.x, point.y);
    };
    return { sessionId, viewer, cdp, side, size: { width: box.width, height: box.height }, point, takeWheel };
  } catch (error) {
    await viewer.close();
    throw error;
  }
}
export type ConsoleSide = Awaited<ReturnType<typeof openConsoleSide>>;

/** The same page in a bare Chromium, and a plain page that is as large as the console's picture. */
export async function openBareSide(url: string, size: { width: number; height: number }) {
  const canvas = await serveBareCanvas(size);
  const viewer = await openViewer();
  const browser = await chromium.launch({ executablePath: shell, chromiumSandbox: process.getuid?.() !== 0 });
  const close = async () => {
    await browser.close();
    await viewer.close();
    await canvas.close();
  };
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.goto(url);
    const cdp = await page.context().newCDPSession(page);
    await openCanvas(viewer, canvas);
    cdp.on('Page.screencastFrame', ({ data, sessionId }) => {
      canvas.push(Buffer.from(data, 'base64'));
      cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
    });
    const { screen } = viewer;
    const side: Side = { name: 'bare', screen, presses: 0, press: (kind) => press(cdp, kind, pressAt) };
    const cast = () => cdp.send('Page.startScreencast', { format: 'jpeg', quality: 60 });
    const endCast = () => cdp.send('Page.stopScreencast');
    return { viewer, canvas, cdp, side, cast, endCast, close };
  } catch (error) {
    await close();
    throw error;
  }
}
export type BareSide = Awaited<ReturnType<typeof openBareSide>>;

async function openCanvas({ page }: Viewer, canvas: BareCanvas): Promise<void> {
  await page.goto(canvas.url);
  await until(canvas.isOpen, soon.timeout);
}

/** The same calls on both sides: the console's page gets them here, the bare page there. */
function press(cdp: CDPSession, kind: Press, point: { x: number; y: number }): Promise<unknown> {
  if (kind === 'key') return pressKey(cdp, 'ArrowRight', 39);
  const event = { ...point, button: 'left', clickCount: 1 } as const;
  return Promise.all([
    cdp.send('Input.dispatchMouseEvent', { type: 'mousePressed', buttons: 1, ...event }),
    cdp.send('Input.dispatchMouseEvent', { type: 'mouseReleased', buttons: 0, ...event }),
  ]);
}

export function pressKey(cdp: CDPSession, key: string, windowsVirtualKeyCode: number): Promise<unknown> {
  const event = { key, code: key, windowsVirtualKeyCode };
  return Promise.all([
    cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event }),
    cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event }),
  ]);
}
