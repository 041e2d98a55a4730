import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { chromium, type Page } from 'playwright-core';
import { guardArgs } from '../../apps/browser/src/chromium/flags.ts';
import { openGuard } from '../../apps/browser/src/guard/proxy.ts';
import { makeCertificate } from '../../testkit/certificate.ts';
import { figuresOf, ratio } from '../../testkit/percentiles.ts';

/**
 * A request of a page through the guard beside the same request of a Chromium without one, to the same site on
 * loopback, where the way itself costs nothing: the worst case for us. In turn, so that both have the same weather.
 */
export async function measureGuard(count: number) {
  const certificate = await makeCertificate('localhost');
  const site = new Worker(new URL('./guard-site.ts', import.meta.url), { workerData: certificate });
  const [ports] = (await once(site, 'message')) as [{ http: number; https: number }]; // what guard-site.ts sends
  // What passing on costs: that much in a row is slowed down on purpose is another matter.
  const limits = { burstBytes: Number.POSITIVE_INFINITY };
  const guard = await openGuard({ allowLoopbackPorts: new Set(Object.values(ports)), onRefused: refuse, limits });
  const trusting = `--ignore-certificate-errors-spki-list=${certificate.spki}`;
  const [ours, direct] = await Promise.all([
    chromium.launch({ executablePath, args: [trusting, ...guardArgs(guard.url)] }),
    chromium.launch({ executablePath, args: [trusting] }),
  ]);
  try {
    const figures: Record<string, Awaited<ReturnType<typeof inTurn>>> = {};
    for (const scheme of ['http', 'https'] as const) {
      const pages = await Promise.all([ours.newPage(), direct.newPage()]);
      for (const page of pages) await page.goto(`${scheme}://127.0.0.1:${ports[scheme]}`);
      figures[`${scheme}_request_ms`] = await inTurn(pages, '/small', count);
      figures[`${scheme}_request_on_a_new_connection_ms`] = await inTurn(pages, '/small?close', count);
      figures[`${scheme}_10_megabytes_ms`] = await inTurn(pages, '/large', Math.ceil(count / 10));
      for (const page of pages) await page.close();
    }
    return figures;
  } finally {
    await Promise.all([ours.close(), direct.close()]);
    await guard.close();
    await site.terminate();
  }
}

const executablePath = '/usr/lib/chromium/chromium-headless-shell';

/** One page sends this many requests, then the other does. */
const TURN = 5;

async function inTurn([ours, direct]: [Page, Page], path: string, count: number) {
  const times: [number[], number[]] = [[], []];
  for (const page of [ours, direct]) await request(page, path);
  for (let i = 0; i < count / TURN; i++) {
    if (i % 2 === 0) times[0].push(...(await request(ours, path)));
    times[1].push(...(await request(direct, path)));
    if (i % 2 === 1) times[0].push(...(await request(ours, path)));
  }
  const [one, other] = [figuresOf(times[0]), figuresOf(times[1])];
  return { ours: one, direct: other, ratio: ratio(one, other) };
}

/** As the page sees it, from asking to the last byte. */
function request(page: Page, path: string): Promise<number[]> {
  return page.evaluate(
    async ([url, turn]) => {
      const times: number[] = [];
      for (let i = 0; i < turn; i++) {
        const begun = performance.now();
        const response = await fetch(url, { cache: 'no-store' });
        await response.arrayBuffer();
        times.push(performance.now() - begun);
      }
      return times;
    },
    [path, TURN] as const,
  );
}

function refuse(): never {
  throw new Error('the guard refused the site that is measured');
}
