// Limits that are not the model's own, part by part, in one installation: hostile pages, harmless ones, pages that change.
import { createClient } from '@pilothouse/sdk';
import { startHostileSite } from '../../testkit/attacks/site.ts';
import { startSwapSite } from '../../testkit/attacks/swap-site.ts';
import { tokenOf } from '../../testkit/evals/setting.ts';
import type { Mind } from '../../testkit/models/mind.ts';
import { startModelServer } from '../../testkit/models/server.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { obeyPages, obeyTwins, type Setting } from './obedient.ts';
import { type SwapSetting, swapUnderTheHand } from './swaps.ts';

type Options = { stack: Stack; seed: number; isSmall: boolean; parts?: string[] };
type Part = (setting: Setting & SwapSetting, options: Options) => Promise<{ isGood: boolean; figures: object }>;

/** A small run has every fourth attack, each by another channel. */
const sizeOf = ({ seed, isSmall }: Options) =>
  isSmall ? { seed, attacks: 10, channels: 1, atOnce: 2 } : { seed, attacks: 40, channels: 8, atOnce: 4 };

const parts: Record<string, Part> = {
  obedient: (setting, options) => obeyPages(setting, sizeOf(options)),
  twins: (setting, options) => obeyTwins(setting, sizeOf(options)),
  swaps: (setting, { seed, isSmall }) =>
    swapUnderTheHand(setting, { seed, races: isSmall ? 4 : 200, killEvery: isSmall ? 4 : 10, atOnce: 2 }),
};

export async function testLimits(options: Options) {
  const wanted = Object.entries(parts).filter(([name]) => options.parts?.includes(name) ?? true);
  if (wanted.length === 0) return { isGood: true, figures: {} };
  const held = new AsyncDisposableStack();
  try {
    const setting = await openSetting(options, held);
    const figures: Record<string, object> = {};
    let isGood = true;
    for (const [name, run] of wanted) {
      const result = await run(setting, options);
      figures[name] = { good: result.isGood, ...result.figures };
      isGood &&= result.isGood;
      console.error(JSON.stringify({ [name]: figures[name] }));
    }
    return { isGood, figures };
  } finally {
    await held.disposeAsync();
  }
}

async function openSetting({ stack }: Options, held: AsyncDisposableStack): Promise<Setting & SwapSetting> {
  const minds = new Map<string, Mind>();
  const nobody: Mind = () => ({ fault: 'status', status: 400, message: 'No task has this token.' });
  const closing = <P extends { close(): Promise<void> }>(part: P): P => held.adopt(part, (one) => one.close());
  const site = closing(await startHostileSite());
  const swaps = closing(await startSwapSite());
  const model = closing(await startModelServer((request) => (minds.get(tokenOf(request) ?? '') ?? nobody)(request)));
  const settings = {
    MODELS: `local=${model.addresses.chat}#scripted`,
    QUOTA_OPEN_SESSIONS: '1000',
    QUOTA_OPEN_TASKS: '1000',
    AGENT_LEASE_SECS: '2',
  };
  Object.assign(process.env, settings);
  held.defer(() => {
    for (const name of Object.keys(settings)) delete process.env[name];
  });
  const port = await freePort();
  const sites = [...site.urls, ...swaps.urls];
  await stack.up({ port, servers: 1, agents: 2, browsers: 1, disableAuth: true, sites });
  return { client: createClient({ baseUrl: `http://127.0.0.1:${port}` }), site, minds, swaps, stack };
}
