// The same actions through the bus and by bare playwright-core, in turns, on the same pages: alone, and with a picture
// and the state after each, as an agent asks for them. Ours are held to rules, as those of agents are; without them for comparison.

import { connectBus, type Gate } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import type { Step } from '@pilothouse/contract';
import { chromium, type Page } from 'playwright-core';
import { drive, startHost } from '../../apps/browser/testing/host.ts';
import { startSite } from '../../apps/browser/testing/site.ts';
import { figuresOf, ratio } from '../../testkit/percentiles.ts';

/** As for a step that a model decided. */
const gate: Gate = {
  rules: { mode: 'standard', allow: [], deny: [], read_only: [], watch: [] },
  is_given: false,
  grants: [],
  is_watched: false,
};

type ActionPair = { step: Step; bare: (page: Page) => Promise<unknown> };

const script = (url: string): ActionPair[] => [
  {
    step: { action: 'navigate', url: `${url}/form` },
    bare: (page) => page.goto(`${url}/form`, { waitUntil: 'domcontentloaded' }),
  },
  {
    step: { action: 'type', target: { label: 'Name' }, text: 'Anna' },
    bare: (page) => page.getByLabel('Name').fill('Anna'),
  },
  {
    step: { action: 'click', target: { role: 'button', name: 'Count' } },
    bare: (page) => page.getByRole('button', { name: 'Count' }).click(),
  },
  {
    step: { action: 'select', target: { label: 'Colour' }, option: 'Blue' },
    bare: (page) => page.getByLabel('Colour').selectOption('Blue'),
  },
  {
    step: { action: 'check', target: { label: 'Agree' }, checked: true },
    bare: (page) => page.getByLabel('Agree').check(),
  },
  {
    step: { action: 'hover', target: 'Sign in' },
    bare: (page) => page.getByRole('button', { name: 'Sign in' }).hover(),
  },
  {
    step: { action: 'press', key: 'End', target: { label: 'Name' } },
    bare: (page) => page.getByLabel('Name').press('End'),
  },
  {
    step: { action: 'click', target: { role: 'button', name: 'Sign in' } },
    bare: (page) => page.getByRole('button', { name: 'Sign in' }).click(),
  },
  { step: { action: 'wait', for: { url: '/welcome' } }, bare: (page) => page.waitForURL('**/welcome**') },
  { step: { action: 'scroll', delta_y: 400 }, bare: (page) => page.mouse.wheel(0, 400) },
  { step: { action: 'back' }, bare: (page) => page.goBack({ waitUntil: 'domcontentloaded' }) },
  { step: { action: 'extract', kind: 'text', as: 'text' }, bare: (page) => page.locator('body').innerText() },
];

export async function measureActions(rounds: number, path = '/usr/lib/chromium/chromium-headless-shell') {
  const [nats, site] = await Promise.all([startNats({ hosts: ['h1'] }), startSite()]);
  const agent = await connectBus(nats.as('agent'));
  const host = await startHost(nats, 'h1', { capacity: 1 });
  // Bare, and as root without its sandbox: that only makes it faster.
  const browser = await chromium.launch({ executablePath: path, chromiumSandbox: process.getuid?.() !== 0 });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const session = drive(agent, 'h1');
  const doings = script(site.url);
  const took = { ours: [] as number[], bare: [] as number[], oursSeen: [] as number[], bareSeen: [] as number[] };
  const without: number[] = [];
  const each = { ours: [] as [string, number][], bare: [] as [string, number][] };
  const timed = async (list: number[], work: () => Promise<void>) => {
    const begun = performance.now();
    await work();
    list.push(performance.now() - begun);
  };
  const ours = async (bring: ('picture' | 'state')[], rules: Gate | null = gate) => {
    for (const { step } of doings) {
      const begun = performance.now();
      await session.act(step, { bring, gate: rules ?? undefined });
      if (bring.length === 0 && rules) each.ours.push([step.action, performance.now() - begun]);
    }
  };
  const bare = async (isSeen: boolean) => {
    for (const doing of doings) {
      const begun = performance.now();
      await doing.bare(page);
      if (!isSeen) each.bare.push([doing.step.action, performance.now() - begun]);
      if (!isSeen) continue;
      // A page between two documents gives no picture.
      if (doing.step.action === 'click') await page.waitForURL(/form|welcome/, { waitUntil: 'load' });
      await Promise.all([
        page.screenshot({ type: 'jpeg', quality: 60 }),
        page.context().storageState({ indexedDB: true }),
      ]);
    }
  };
  try {
    await session.open();
    // Not counted: the first of each fills caches.
    await ours([]);
    await bare(false);
    for (let round = 0; round < rounds; round++) {
      await timed(took.bare, () => bare(false));
      await timed(took.ours, () => ours([]));
      await timed(without, () => ours([], null));
      await timed(took.bareSeen, () => bare(true));
      await timed(took.oursSeen, () => ours(['picture', 'state']));
    }
  } finally {
    await browser.close();
    await host.close();
    await agent.close();
    await site.close();
    await nats.close();
  }
  const compare = (ourTimes: number[], bareTimes: number[]) => {
    const [mine, engine] = [figuresOf(ourTimes), figuresOf(bareTimes)];
    return { ours: mine, bare: engine, ratio: ratio(mine, engine) };
  };
  return {
    actions: doings.length,
    p50_by_action_ms: Object.fromEntries(
      [...new Set(doings.map(({ step }) => step.action))].map((action) => {
        const p50 = (list: [string, number][]) =>
          figuresOf(list.filter(([of]) => of === action).map(([, ms]) => ms)).p50;
        return [action, { ours: p50(each.ours), bare: p50(each.bare) }];
      }),
    ),
    script_ms: compare(took.ours, took.bare),
    rules_ms_per_action: (figuresOf(took.ours).p50 - figuresOf(without).p50) / doings.length,
    with_picture_and_state_ms: compare(took.oursSeen, took.bareSeen),
  };
}
