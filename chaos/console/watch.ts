// A person watches a task in the console while a part is killed: picture, driver and steps go on to the end by themselves.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { openConsolePage } from '../../testkit/console/console-page.ts';
import type { Round, Shooting } from './shooting.ts';

const beginsMs = 60_000;
const goesOnMs = 60_000;
const atWork = ['agent', 'recovered'];

export async function watchThrough(shooting: Shooting, count: number): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) rounds.push(await watchOne(shooting, round));
  return rounds;
}

async function watchOne({ part, browser, client, baseUrl, site, random, shoot }: Shooting, round: number) {
  const path = `/watched-${part}-${round}`;
  const steps: Step[] = [
    { action: 'navigate', url: `${site.url}${path}` },
    { action: 'wait', for: { secs: 4 } },
    { action: 'click', target: 'Press' },
    { action: 'wait', for: { secs: 2 } },
  ];
  const { session_id } = await client.sendChat({ prompt: 'watch', steps });
  const shown = await openConsolePage(browser, `${baseUrl}/sessions/${session_id}`);
  const { page } = shown;
  const wrong: string[] = [];
  const check = async (what: string, work: () => Promise<unknown>) => {
    await work().catch(async (error: Error) => {
      const { message } = error;
      wrong.push(`round ${round}: ${what}: ${message.split('\n')[0]} (${await shown.describe()})`);
    });
  };
  try {
    await shown.untilDriver(atWork, beginsMs);
    await shown.untilLive(beginsMs);
    await sleep(random.between(0, 500));
    const begun = performance.now();
    await shoot();
    await check('picture', () => shown.untilLive(goesOnMs));
    await check('driver', () => shown.untilDriver([...atWork, 'idle'], goesOnMs));
    const isBackMs = performance.now() - begun;
    const done = page.locator('[data-testid=task-status][data-status=success]');
    await check('done', () => done.waitFor({ timeout: goesOnMs }));
    await check('driver at the end', () => shown.untilDriver(['idle'], goesOnMs));
    await page.getByRole('tab', { name: 'Steps' }).click({ timeout: goesOnMs });
    await check('steps', () =>
      page.locator('[data-testid=step][data-state=done]').nth(3).waitFor({ timeout: goesOnMs }),
    );
    if (site.pressesOf(path) !== 1) wrong.push(`round ${round}: pressed ${site.pressesOf(path)} times`);
    wrong.push(...(await shown.faults()).map((fault) => `round ${round}: ${fault}`));
    return { wrong, goesOnMs: Math.round(isBackMs) };
  } finally {
    await shown.close();
    await client.deleteSession({ id: session_id });
  }
}
