import assert from 'node:assert/strict';
import { it } from 'node:test';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { openInstallation } from '../testkit/installation.ts';

// Captures of one page may differ in a caret or in rounding; another page differs in much more.
const maxDifferent = 0.01;

it('shows a session from its detail alone, with the same picture, after its host was killed', async () => {
  const installation = await openInstallation('restore');
  // Our own pictures: the sandbox, which root cannot have, is not needed.
  const browser = await launchBrowser();
  try {
    const { client, shop } = installation;
    const prompt = [`open ${shop.url}/`, 'click "Add Brass lantern to basket"', 'wait for "Brass lantern"'].join('\n');
    const { session_id, task_id } = await client.sendChat({ prompt });
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(60_000) }));
    const live = (await client.getSession({ id: session_id })).snapshot;
    assert.ok(live.last_frame);

    await installation.stack.kill('browser-1');
    const { snapshot } = await client.getSession({ id: session_id });
    assert.ok(snapshot.last_frame);
    const page = await browser.newPage();
    const different = (one: string, other: string) =>
      page.evaluate(
        compare,
        [one, other].map((image) => `data:image/jpeg;base64,${image}`),
      );
    const { screenshot_base64 } = snapshot.last_frame;
    assert.ok((await different(live.last_frame.screenshot_base64, screenshot_base64)) <= maxDifferent);
    // The comparison can tell: the page before this one is another.
    const [first] = (await client.listObservations({ id: task_id, include: 'image' })).data.observations;
    assert.ok((await different(first?.artifact?.data_base64 ?? '', screenshot_base64)) > maxDifferent);

    assert.equal(snapshot.route_summary.current.url, `${shop.url}/basket`);
    assert.equal(snapshot.message_state?.items.at(-1)?.kind, 'result');
    assert.ok(snapshot.overlays.length > 0);
  } finally {
    await browser.close();
    await installation.close();
  }
});

/** Runs in a page: the share of pixels that differ visibly. */
async function compare(urls: string[]): Promise<number> {
  // biome-ignore lint/suspicious/noExplicitAny: this runs in a page, whose types are not known here
  const { Image, document } = globalThis as any;
  const pixels = await Promise.all(
    urls.map(async (url) => {
      const image = Object.assign(new Image(), { src: url });
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data as Uint8ClampedArray;
    }),
  );
  const [one, other] = pixels;
  if (!one || one.length !== other?.length) return 1;
  let count = 0;
  for (let at = 0; at < one.length; at += 4) {
    const isOther = [0, 1, 2].some((part) => Math.abs((one[at + part] ?? 0) - (other[at + part] ?? 0)) > 24);
    if (isOther) count += 1;
  }
  return count / (one.length / 4);
}
