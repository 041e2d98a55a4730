import { setTimeout as sleep } from 'node:timers/promises';
import { frame } from '@pilothouse/bus';
import { chromium } from 'playwright-core';
import { figuresOf, ratio } from '../../testkit/percentiles.ts';
import { until } from '../../testkit/until.ts';
import { type OurSession, startOurs } from './children.ts';
import { type BenchSite, type Kind, kindOf, openBenchSite, type Turn } from './site.ts';

/** Of ours each has to come, however slow the machine; the bare side loses some, which costs this long each. */
const seenWithinMs = { ours: 20_000, bare: 3000 };
/** Changes come one by one, as people see them; a burst is another question. */
const restMs = 150;
const turnsInBurst = 9;
/** After this long without a frame none is on its way. */
const quietMs = 800;
export const point = { x: 600, y: 500 };

export type Side = {
  who: 'ours' | 'bare';
  /** The kinds of the frames so far, and when they came. */
  frames: { kind: Kind; at: number }[];
  press(): Promise<unknown>;
};

/**
 * What lies between a change of the page, or a press, and the frame that shows it: at a subscriber of the bus, beside a
 * bare Chromium that is asked over its own protocol. Taken in turn, so that both have the same weather.
 */
export async function measureLive(count: number) {
  const site = await openBenchSite();
  const host = await startOurs(1);
  const bare = await openBareSide(site);
  try {
    const session = await host.openSession();
    const ours = await openOurSide(host.server, session, site);
    let isDriven = false;
    const renew = () => void session.ask({ type: 'watch', for_ms: 4000, is_driven: isDriven }, 1000);
    renew();
    const renewing = setInterval(renew, 1000);
    await until(() => [ours, bare.side].every(({ who, frames }) => site.isWaiting(who) && frames.length > 0), 10_000);
    const change = await compare([ours, bare.side], count, (side) => timeChange(site, side));
    const last = { ours: 0, bare: 0 };
    for (let index = 0; index < count; index++) {
      const isShown = await Promise.all([endBurst(site, ours), endBurst(site, bare.side)]);
      last.ours += Number(isShown[0]);
      last.bare += Number(isShown[1]);
    }
    isDriven = true;
    renew();
    await sleep(300);
    const press = await compare([ours, bare.side], count, timePress);
    clearInterval(renewing);
    return {
      change_to_frame_ms: withRatio(change),
      press_to_frame_ms: withRatio(press),
      last_state_shown: { ...last, of: count },
    };
  } finally {
    await host.close();
    await bare.close();
    await site.close();
  }
}

/** How long it took, or undefined where it was never shown. */
type Took = number | undefined;
type Both = { ours: Took[]; bare: Took[] };

export async function compare([ours, bare]: [Side, Side], count: number, measure: (side: Side) => Promise<Took>) {
  const both: Both = { ours: [], bare: [] };
  for (let index = 0; index < count; index++) {
    const inTurn = index % 2 === 0 ? [ours, bare] : [bare, ours];
    for (const side of inTurn) {
      const took = await measure(side);
      if (took === undefined && side === ours) throw new Error(`ours: not shown within ${seenWithinMs.ours} ms`);
      (side === ours ? both.ours : both.bare).push(took);
      await sleep(restMs + Math.random() * 50);
    }
  }
  return both;
}

export async function timeChange(site: BenchSite, side: Side): Promise<Took> {
  const kind = otherOf(side.frames.at(-1)?.kind);
  const from = side.frames.length;
  const changedAt = await turnTo(site, side, { kind, before: 0 });
  const shownAt = await seen(side, kind, from);
  // Back to what its last frame shows.
  if (!shownAt) await turnTo(site, side, { kind: otherOf(kind), before: 0 });
  return shownAt && shownAt - changedAt;
}

export async function timePress(side: Side): Promise<Took> {
  const kind = otherOf(side.frames.at(-1)?.kind);
  const from = side.frames.length;
  const pressedAt = now();
  const pressed = side.press();
  const shownAt = await seen(side, kind, from);
  await pressed;
  // Once more, so that the page is where its last frame says, whether the press was lost or the frame.
  if (!shownAt) await side.press();
  return shownAt && shownAt - pressedAt;
}

/** Whether the last frame after a burst of changes, when no more come, shows how it ended. */
async function endBurst(site: BenchSite, side: Side): Promise<boolean> {
  const kind = Math.random() < 0.5 ? 'words' : 'blank';
  const endedAt = await turnTo(site, side, { kind, before: turnsInBurst });
  const isQuiet = () => now() - Math.max(endedAt, side.frames.at(-1)?.at ?? 0) > quietMs;
  await until(isQuiet, 10 * quietMs);
  return side.frames.at(-1)?.kind === kind;
}

async function turnTo(site: BenchSite, { who }: Side, turn: Turn): Promise<number> {
  await until(() => site.isWaiting(who), seenWithinMs[who]);
  return site.turn(who, turn);
}

async function seen(side: Side, kind: Kind, from: number): Promise<number | undefined> {
  for (const end = now() + seenWithinMs[side.who]; now() < end; ) {
    const found = side.frames.slice(from).find((one) => one.kind === kind);
    if (found) return found.at;
    await sleep(2);
  }
  return undefined;
}

async function openOurSide(
  server: Awaited<ReturnType<typeof startOurs>>['server'],
  session: OurSession,
  site: BenchSite,
) {
  const side: Side = { who: 'ours', frames: [], press };
  const listening = server.subscribe(frame, { session_id: session.sessionId }, ({ image }) => {
    side.frames.push({ kind: kindOf(image.length), at: now() });
  });
  await listening.ready({ timeoutMs: 2000 });
  await session.act({ action: 'navigate', url: `${site.url}/turning?who=ours` });
  let seq = 0;
  async function press() {
    seq += 1;
    const input = { action: 'click' as const, ...point };
    const { head } = await session.tell({ type: 'input', epoch: 2, inputs: [{ seq, input }] });
    if (!head.ok) throw new Error(`the press failed: ${head.failure}`);
  }
  return side;
}

export async function openBareSide(site: BenchSite) {
  const browser = await chromium.launch({
    executablePath: '/usr/lib/chromium/chromium-headless-shell',
    chromiumSandbox: process.getuid?.() !== 0,
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(`${site.url}/turning?who=bare`);
  const cdp = await page.context().newCDPSession(page);
  const press = () =>
    Promise.all(
      (['mousePressed', 'mouseReleased'] as const).map((type) =>
        cdp.send('Input.dispatchMouseEvent', { type, ...point, button: 'left', clickCount: 1 }),
      ),
    );
  const side: Side = { who: 'bare', frames: [], press };
  cdp.on('Page.screencastFrame', ({ data, sessionId }) => {
    side.frames.push({ kind: kindOf(Buffer.byteLength(data, 'base64')), at: now() });
    cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await cdp.send('Page.startScreencast', { format: 'jpeg', quality: 60 });
  return { side, close: () => browser.close() };
}

export function withRatio({ ours, bare }: Both) {
  const ofShown = (took: Took[]) => figuresOf(took.filter((one) => one !== undefined));
  const figures = { ours: ofShown(ours), bare: ofShown(bare) };
  return {
    ...figures,
    ratio: ratio(figures.ours, figures.bare),
    never_shown_by_bare: bare.length - figures.bare.count,
  };
}

const otherOf = (kind: Kind | undefined): Kind => (kind === 'words' ? 'blank' : 'words');
export const now = () => performance.timeOrigin + performance.now();
