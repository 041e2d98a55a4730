// Commands cut by a new driver at a random moment. The page tells the site of everything that happens to it, with the
// time: nothing may happen after the new driver was acknowledged.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import type { Step } from '@pilothouse/contract';
import { drive, startHost } from '../../apps/browser/testing/host.ts';
import { createRandom, type Random } from '../../testkit/random.ts';

const ACKNOWLEDGED_MS = 150;
/** How long after the acknowledgement the page is listened to. */
const LISTEN_MS = 150;

export type CutResult = {
  cuts: number;
  /** How each command ended: cut before it touched anything, in the middle, or done before. */
  ended: Record<string, number>;
  acknowledged_ms: { p50: number; p95: number; max: number };
  acknowledged_late: number;
  acts_after: string[];
  events: number;
};

const page = `<!doctype html><title>Watched</title><body>
<style>body { margin: 20px } .from, .to { display: inline-block; width: 80px; height: 40px; background: #ccd }</style>
<label>Field <input></label> <button>Press</button> <label>List <select><option>Red</option><option>Blue</option></select></label>
<label><input type="checkbox"> Box</label> <span class="from">From</span> <span class="to">To</span>
<div style="height: 3000px"></div>
<script>
const kinds = ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'keydown', 'keyup', 'beforeinput', 'input', 'change', 'focus', 'scroll', 'wheel'];
const tell = (kind, ms = performance.now()) => navigator.sendBeacon('/log', JSON.stringify({ kind, at: performance.timeOrigin + ms }));
for (const kind of kinds) addEventListener(kind, () => tell(kind), true);
// A page that was answered cannot be stopped any more, and its own scripts run: what counts is when the answer came.
tell('load', performance.getEntriesByType('navigation')[0].responseStart);
const slow = new URLSearchParams(location.search).get('slow');
if (slow) for (const kind of ['mousedown', 'mousemove', 'input']) addEventListener(kind, () => { const end = Date.now() + Number(slow); while (Date.now() < end); }, true);
</script>`;

export async function cutCommands({ cuts, seed }: { cuts: number; seed: number }): Promise<CutResult> {
  const random = createRandom(seed);
  const happened: { kind: string; at: number }[] = [];
  const site = createServer(async (request, response) => {
    if (request.url === '/log') {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      happened.push(JSON.parse(Buffer.concat(parts).toString()));
      return void response.writeHead(204).end();
    }
    // Slow enough that a load is often under way when it is cut.
    if (request.url?.startsWith('/late')) await sleep(40);
    response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const nats = await startNats({ hosts: ['h1'] });
  const agent = await connectBus(nats.as('agent'));
  const host = await startHost(nats, 'h1', { capacity: 1 });
  const session = drive(agent, 'h1');
  const took: number[] = [];
  const result: CutResult = {
    cuts: 0,
    ended: {},
    acknowledged_ms: { p50: 0, p95: 0, max: 0 },
    acknowledged_late: 0,
    acts_after: [],
    events: 0,
  };
  try {
    let epoch = 1;
    await session.open({ epoch });
    for (; result.cuts < cuts; result.cuts++) {
      const where = `${url}/${random.pick(['', '?slow=20', '?slow=60'])}`;
      const arrive = () => session.act({ action: 'navigate', url: where }, { epoch });
      // What was cut just now may still be on its way out of the browser: an agent would try again as well.
      await arrive().catch(arrive);
      happened.length = 0;
      const step = randomStep(url, random);
      const command = {
        type: 'act',
        command_id: crypto.randomUUID(),
        epoch,
        deadline_ms: 5000,
        step,
        bring: [],
      } as const;
      const answer = session.ask({ ...command, bring: [] });
      await sleep(random.between(0, 120));
      const cutAt = performance.now();
      epoch += 1;
      const taken = await session.tell({ type: 'take', epoch });
      const acknowledgedAt = performance.timeOrigin + performance.now();
      const ms = performance.now() - cutAt;
      if (!taken.head.ok) throw new Error(`not taken: ${JSON.stringify(taken.head)}`);
      took.push(ms);
      if (ms > ACKNOWLEDGED_MS) result.acknowledged_late += 1;
      await sleep(LISTEN_MS);
      const late = happened.filter(({ at }) => at > acknowledgedAt);
      for (const { kind, at } of late) {
        result.acts_after.push(`${kind} ${(at - acknowledgedAt).toFixed(1)} ms after, in ${step.action}`);
      }
      result.events += happened.length;
      const ended = await answer;
      if (!ended.ok) throw new Error(`not answered: ${ended.reason}`);
      const { head } = ended.reply;
      const kind = head.ok ? 'done' : `${head.failure}${head.has_touched ? ' in the middle' : ''}`;
      result.ended[kind] = (result.ended[kind] ?? 0) + 1;
    }
  } finally {
    await host.close();
    await agent.close();
    await nats.close();
    site.closeAllConnections();
    site.close();
  }
  took.sort((a, b) => a - b);
  const at = (part: number) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * part))] ?? 0);
  result.acknowledged_ms = { p50: at(0.5), p95: at(0.95), max: at(1) };
  return result;
}

function randomStep(url: string, random: Random): Step {
  return random.pick<Step>([
    { action: 'click', target: 'Press' },
    { action: 'double_click', target: 'Press' },
    { action: 'hover', target: 'Press' },
    { action: 'type', target: 'Field', text: 'words '.repeat(50) },
    { action: 'press', key: 'Control+a', target: 'Field' },
    { action: 'select', target: 'List', option: 'Blue' },
    { action: 'check', target: 'Box', checked: true },
    { action: 'drag', from: { css: '.from' }, to: { css: '.to' } },
    { action: 'scroll', delta_y: 700 },
    { action: 'navigate', url: `${url}/late` },
    { action: 'reload' },
    { action: 'click', target: 'Never there' },
  ]);
}
