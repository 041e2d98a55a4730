import assert from 'node:assert/strict';
import { it } from 'node:test';
import { launchBrowser } from './console-page.ts';
import { toIndexedPng } from './indexed-png.ts';

it('a screenshot with few colours is the same picture, and smaller', async () => {
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 320, height: 200 } });
  await page.setContent('<body style="background:#123456;color:#fff;font:20px serif"><p>Ahoy</p><hr></body>');
  const before = await page.screenshot();
  const after = toIndexedPng(before);
  const pixels = (png: Buffer) =>
    page.evaluate(async (base64) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context?.drawImage(image, 0, 0);
      return [...(context?.getImageData(0, 0, image.width, image.height).data ?? [])];
    }, png.toString('base64'));
  const [one, other] = [await pixels(before), await pixels(after)];
  assert.equal(one.length, 320 * 200 * 4);
  assert.ok(one.every((value, index) => Math.abs(value - (other[index] ?? 0)) <= 16));
  assert.deepEqual([...after.subarray(24, 26)], [8, 3], 'with a palette');
  await browser.close();
});
