// A person drives in the console and types while a part is killed. What they typed arrives once and in order. Where the
// browser dies with its host, they keep the wheel, the page is opened again, the console says that what was typed is gone,
// and what they type from then on arrives.

import { setTimeout as sleep } from 'node:timers/promises';
import { type ConsolePage, openConsolePage } from '../../testkit/console/console-page.ts';
import { fieldPlace } from '../../testkit/pages/ticking-form.ts';
import { until } from '../../testkit/stack/daemon.ts';
import type { Round, Shooting } from './shooting.ts';

const beginsMs = 60_000;
const goesOnMs = 60_000;
const letters = 40;
const keyMs = 25;

export async function driveThrough(shooting: Shooting, count: number): Promise<Round[]> {
  const { part, browser, client, baseUrl, site } = shooting;
  const path = `/driven-${part}`;
  const { session } = await client.createSession();
  const shown = await openConsolePage(browser, `${baseUrl}/sessions/${session.id}`);
  try {
    await shown.page.getByRole('button', { name: 'Open and drive' }).click({ timeout: beginsMs });
    await shown.untilDriver(['you'], beginsMs);
    const before = await shooting.savedState(session.id);
    await shown.visit(`${site.url}${path}`);
    await arrived(() => site.loadsOf(path) > 0, 'the page is open');
    // From here on the browser can be opened again where it was.
    await arrived(async () => (await shooting.savedState(session.id)) !== before, 'the state of the browser is saved');
    await shown.clickAt(fieldPlace);
    const driving = { ...shooting, shown, path };
    const rounds: Round[] = [];
    for (let round = 1; round <= count; round += 1)
      rounds.push(await (part === 'host' ? loseBrowser(driving, round) : typeThrough(driving, round)));
    return rounds;
  } finally {
    await shown.close();
    await client.resumeSessionTakeover({ id: session.id }).catch(() => {});
    await client.deleteSession({ id: session.id });
  }
}

type Driving = Shooting & { shown: ConsolePage; path: string };

async function arrived(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  if (!(await until(isSo, goesOnMs))) throw new Error(`not within ${goesOnMs} ms: ${what}`);
}

const wordOf = (round: number) =>
  Array.from({ length: letters }, (_, i) => String.fromCharCode(97 + ((i + round) % 26)));

/** Types a word while the part is killed; the field holds everything typed so far, once. */
async function typeThrough({ shown, site, path, random, shoot }: Driving, round: number): Promise<Round> {
  const wanted = `${site.fieldOf(path) ?? ''}${wordOf(round).join('')}`;
  const begun = performance.now();
  const typing = shown.page.keyboard.type(wordOf(round).join(''), { delay: keyMs });
  await sleep(random.between(0, letters * keyMs));
  await shoot();
  await typing;
  const wrong = await collect(round, shown, {
    typed: () => arrived(() => site.fieldOf(path) === wanted, 'everything typed is in the field'),
    picture: () => shown.untilLive(goesOnMs),
    driver: () => shown.untilDriver(['you'], goesOnMs),
  });
  const tookMs = Math.round(performance.now() - begun);
  const held = site.fieldOf(path);
  if (held !== wanted) wrong.push(`round ${round}: the field has ${held}, typed was ${wanted}`);
  return { wrong, goesOnMs: tookMs };
}

async function loseBrowser({ shown, site, path, random, shoot }: Driving, round: number): Promise<Round> {
  const loads = site.loadsOf(path);
  const begun = performance.now();
  const typing = shown.page.keyboard.type(wordOf(round).join(''), { delay: keyMs });
  await sleep(random.between(0, letters * keyMs));
  await shoot();
  await typing;
  const isGone = shown.page.getByTestId('driver').filter({ hasText: 'What you typed there is gone' });
  const wrong = await collect(round, shown, {
    'page is opened again': () => arrived(() => site.loadsOf(path) > loads, 'the page is opened again'),
    'words about what is gone': () => isGone.waitFor({ timeout: goesOnMs }),
    driver: () => shown.untilDriver(['you'], goesOnMs),
    picture: () => shown.untilLive(goesOnMs),
  });
  if (!(await shown.states()).includes('browser_lost'))
    wrong.push(`round ${round}: nothing said that the browser is lost`);
  // What was typed on the way may be in the field of the page that was opened again; what follows stands behind it.
  await shown.clickAt(fieldPlace);
  const before = site.fieldOf(path) ?? '';
  const word = wordOf(round + 1).join('');
  await shown.page.keyboard.type(word, { delay: keyMs });
  wrong.push(
    ...(await collect(round, shown, {
      typed: () => arrived(() => site.fieldOf(path) === `${before}${word}`, `${before}${word} is in the field`),
    })),
  );
  return { wrong, goesOnMs: Math.round(performance.now() - begun) };
}

/** Does each in turn, and returns what did not hold. */
async function collect(round: number, shown: ConsolePage, checks: Record<string, () => Promise<unknown>>) {
  const wrong: string[] = [];
  for (const [what, check] of Object.entries(checks))
    await check().catch(async ({ message }: Error) => {
      wrong.push(`round ${round}: ${what}: ${message.split('\n')[0]} (${await shown.describe()})`);
    });
  return [...wrong, ...(await shown.faults()).map((fault) => `round ${round}: ${fault}`)];
}
