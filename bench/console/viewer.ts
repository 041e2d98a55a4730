// A Chromium that shows one page, and what can be asked of it: what was painted, what its processes used, what is alive.
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { processCpuMs } from '../browser/process-tree.ts';
import { hundredths } from '../browser/watched.ts';
import { colourAt, colours } from './pressed-page.ts';

export const shell = '/usr/lib/chromium/chromium-headless-shell';
export const viewport = { width: 1440, height: 900 };
const mib = 1024 * 1024;

/** What the processes of a browser have used so far, in milliseconds of a core. */
export type UsedMs = { renderer: number; gpu: number; browser: number; other: number };
export type Alive = { heapMib: number; nodes: number; listeners: number; blobUrls: number; bitmaps: number };

export async function openViewer() {
  // Our own pages on loopback: the sandbox, which root cannot have, is not needed.
  const browser = await chromium.launch({ executablePath: shell, chromiumSandbox: process.getuid?.() !== 0 });
  const context = await browser.newContext({ viewport });
  await context.addInitScript({ content: probe });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  const all = await browser.newBrowserCDPSession();
  return {
    page,
    cdp,
    screen: screenOf(page),
    used: () => usedBy(all),
    alive: () => aliveIn(page, cdp),
    close: () => browser.close(),
  };
}
export type Viewer = Awaited<ReturnType<typeof openViewer>>;

/** What is painted on the canvas of a page. */
function screenOf(page: Page) {
  return {
    /** How many pictures were painted so far. */
    painted: () => page.evaluate<number>('painted'),
    /** Call it before the press; `seen` then says when a picture with this colour was painted. */
    expect: (colour: number) => page.evaluate(`expectColour(${JSON.stringify(colours[colour % colours.length])})`),
    /** By the clock, in milliseconds; undefined if it was not within this time. */
    seen: async (withinMs: number) => (await page.evaluate<number>(`seenWithin(${withinMs})`)) || undefined,
  };
}
export type Screen = ReturnType<typeof screenOf>;

/** Counts what is painted, blob addresses and bitmaps; looks for a colour only while one is expected. */
const probe = `(() => {
  window.painted = 0;
  window.blobUrls = 0;
  window.bitmaps = 0;
  let wanted;
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (image, ...where) {
    draw.call(this, image, ...where);
    painted += 1;
    if (!wanted) return;
    const at = performance.timeOrigin + performance.now();
    pixel.drawImage(image, ${colourAt.x}, ${colourAt.y}, 1, 1, 0, 0, 1, 1);
    const seen = pixel.getImageData(0, 0, 1, 1).data;
    if (wanted.colour.every((value, index) => Math.abs(value - seen[index]) < 40)) wanted.resolve(at);
  };
  window.expectColour = (colour) => {
    wanted = { colour, ...Promise.withResolvers() };
  };
  window.seenWithin = async (ms) => {
    const late = new Promise((resolve) => setTimeout(resolve, ms, 0));
    const at = await Promise.race([wanted.promise, late]);
    wanted = undefined;
    return at;
  };
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (blob) => { blobUrls += 1; return createObjectURL.call(URL, blob) };
  URL.revokeObjectURL = (url) => { blobUrls -= 1; revokeObjectURL.call(URL, url) };
  const { createImageBitmap } = window;
  window.createImageBitmap = async (...of) => {
    const bitmap = await createImageBitmap(...of);
    bitmaps += 1;
    return bitmap;
  };
  const { close } = ImageBitmap.prototype;
  ImageBitmap.prototype.close = function () { bitmaps -= 1; close.call(this) };
})()`;

async function usedBy(cdp: CDPSession): Promise<UsedMs> {
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  const sum = (isIt: (type: string) => boolean) =>
    processInfo.filter(({ type }) => isIt(type)).reduce((total, { id }) => total + processCpuMs(id), 0);
  return {
    // Every page but one is empty, so these are the renderer of the page, and of the worker that it shares.
    renderer: sum((type) => type === 'renderer'),
    gpu: sum((type) => type === 'GPU'),
    browser: sum((type) => type === 'browser'),
    other: sum((type) => !['renderer', 'GPU', 'browser'].includes(type)),
  };
}

async function aliveIn(page: Page, cdp: CDPSession): Promise<Alive> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  const [blobUrls = 0, bitmaps = 0] = await page.evaluate<number[]>('[blobUrls, bitmaps]');
  return { heapMib: hundredths(usedSize / mib), nodes, listeners: jsEventListeners, blobUrls, bitmaps };
}
