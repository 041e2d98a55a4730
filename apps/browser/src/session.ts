// One session: its browser, who drives it, and what was answered to whom. Nothing else touches its Chromium.

import type { Acted, Frame, Packed, Picture, SavedState, SessionCommand, SessionReply } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import type { BrowserContext, Page } from 'playwright-core';
import { act as actOn } from './actions/act.ts';
import { createHands } from './actions/hands.ts';
import { createAnswers } from './answers.ts';
import type { Chromium } from './chromium.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { failureOf, StepFailure } from './failure.ts';
import { newId } from './id.ts';
import { followPages, type Pages, type Place } from './pages.ts';
import { type Shot, takeShot } from './picture.ts';
import { createScreencast } from './screencast.ts';
import { watchLoading } from './settle.ts';
import { readState, reopenPages, storageOf } from './state.ts';

export type Reply = Packed<SessionReply>;
type ActCommand = Extract<SessionCommand, { type: 'act' }>;

export type Session = {
  epoch(): number;
  /** Whoever drives with a newer epoch wins, and what the driver before had in hand is given up. */
  takeEpoch(epoch: number): boolean;
  answer(command: SessionCommand): Promise<Reply>;
  close(): Promise<void>;
};

type Options = {
  sessionId: string;
  epoch: number;
  viewport: { width: number; height: number };
  state: SavedState | null;
  chromium: Chromium;
  onFrame: (frame: Frame) => void;
  /** The browser is gone, or its page crashed: nothing more can be done here. */
  onGone: () => void;
};

const OPEN_MS = 15_000;
/** Pages that take longer to come back are left as they are. */
const REOPEN_MS = 8000;
const LOOK_MS = 2000;
/** Kept of the time of an act, for the picture and the state after it. */
const FINISH_MS = 1500;

export async function openSession(options: Options): Promise<Session> {
  const { sessionId, viewport, state, chromium, onFrame, onGone } = options;
  let epoch = options.epoch;
  let driver = new AbortController();
  let frameCount = 0;
  let saved: SavedState | undefined = state ?? undefined;
  const closed = new AbortController();

  const opening = startDeadline(OPEN_MS, closed.signal);
  const { context, front } = await openContext(chromium, viewport, state, opening);
  const pages = followPages({ context, first: front, onCrash: onGone });
  chromium.browser.once('disconnected', onGone);
  const screencast = createScreencast({ pages, onShot: (shot) => void publish(shot) });
  const answers = createAnswers<Reply>();
  let last: Promise<unknown> = Promise.resolve();

  async function publish(shot: Shot): Promise<void> {
    const place = await placeOf(pages, shot);
    if (closed.signal.aborted) return;
    frameCount += 1;
    onFrame({
      header: { ...headerOf(pages, shot, place), session_id: sessionId, epoch, seq: frameCount },
      image: shot.image,
    });
  }

  async function pictureOf(shot: Shot, deadline: Deadline): Promise<Picture> {
    const place = await pages.place(shot.page, deadline);
    return {
      content_type: 'image/jpeg',
      width: shot.width,
      height: shot.height,
      device_scale: 1,
      route: { session: sessionId, page: pages.id(shot.page), frame: null, ...place },
    };
  }

  async function look(): Promise<Reply> {
    const deadline = startDeadline(LOOK_MS, closed.signal);
    const shot = screencast.latest() ?? (await takeShot(pages, pages.current(), deadline));
    return { head: { ok: true, type: 'seen', picture: await pictureOf(shot, deadline) }, body: shot.image };
  }

  function act(command: ActCommand): Promise<Reply> {
    const { deadline_ms } = command;
    const deadline = startDeadline(deadline_ms, closed.signal);
    // A new driver ends the act, but not the telling of what was done.
    const acting = startDeadline(deadline_ms, driver.signal).keeping(Math.min(FINISH_MS, deadline_ms / 4));
    const turn = last
      .then(() => perform(command.step, acting, deadline))
      .catch((error) => failed(reasonOf(command, error)));
    last = turn;
    return turn;
  }

  async function perform(step: Step, acting: Deadline, deadline: Deadline): Promise<Reply> {
    const begun = performance.now();
    if (acting.isOver()) throw new StepFailure('timeout', 'its turn came too late; nothing was done');
    const page = pages.current();
    const before = await pages.place(page, acting);
    const hands = createHands(page, acting);
    const loading = watchLoading(page);
    try {
      await actOn(step, hands);
      await loading.rest(pages.current, acting);
    } finally {
      loading.close();
    }
    const ended = performance.now();
    const waited = (hands.foundAt() ?? begun) - begun;
    const { evidence, image } = await finish(deadline);
    const head: Acted = {
      ok: true,
      type: 'acted',
      before,
      ...hands.touched(),
      wait_ms: Math.round(waited),
      run_ms: Math.round(ended - begun - waited),
      file: null,
      dialog: null,
      ...evidence,
    };
    return { head, body: image };
  }

  /** What the act led to. It is done, so what cannot be had in time is replaced by the last that was. */
  async function finish(deadline: Deadline) {
    const page = pages.current();
    const [shot, state] = await Promise.all([
      takeShot(pages, page, deadline).catch((error) => {
        const kept = screencast.latest();
        if (kept) return kept;
        throw new StepFailure('timeout', 'done, but the page gives no picture', { cause: error });
      }),
      readState(context, pages, deadline).catch((error) => {
        if (saved) return saved;
        throw new StepFailure('timeout', 'done, but the browser does not tell its state', { cause: error });
      }),
    ]);
    saved = state;
    const picture = await pictureOf(shot, deadline);
    const after = { url: picture.route.url ?? '', title: picture.route.title ?? '' };
    return { evidence: { after, state, picture }, image: shot.image };
  }

  function reasonOf(command: ActCommand, error: unknown): StepFailure {
    if (closed.signal.aborted) return new StepFailure('crashed', 'the browser is gone', { cause: error });
    if (command.epoch < epoch) return new StepFailure('stale_epoch', 'somebody else drives now', { cause: error });
    return failureOf(error);
  }

  function takeEpoch(offered: number): boolean {
    if (offered < epoch) return false;
    if (offered > epoch) {
      epoch = offered;
      driver.abort();
      driver = new AbortController();
    }
    return true;
  }

  return {
    epoch: () => epoch,
    takeEpoch,
    async answer(command) {
      if (command.type === 'look') return look().catch((error) => failed(failureOf(error)));
      if (command.type === 'watch') {
        screencast.watch(command.for_ms);
        return { head: { ok: true, type: 'watching' }, body: nothing };
      }
      if (command.type !== 'act') return failed(new StepFailure('unsupported', `this host cannot ${command.type}`));
      const known = answers.get(command.command_id);
      if (known) return known;
      if (!takeEpoch(command.epoch)) return failed(new StepFailure('stale_epoch', 'somebody else drives now'));
      return answers.keep(command.command_id, act(command));
    },
    async close() {
      chromium.browser.off('disconnected', onGone);
      closed.abort();
      driver.abort();
      screencast.close();
      await chromium.close();
    },
  };
}

const nothing = new Uint8Array();

export function failed({ failure, message }: StepFailure): Reply {
  return { head: { ok: false, failure, message }, body: nothing };
}

async function openContext(
  { browser }: Chromium,
  viewport: { width: number; height: number },
  state: SavedState | null,
  deadline: Deadline,
): Promise<{ context: BrowserContext; front: Page }> {
  const context = await browser.newContext({
    viewport,
    storageState: state ? storageOf(state) : undefined,
    // Nobody takes them over yet, and they would fill the disk.
    acceptDownloads: false,
  });
  context.setDefaultTimeout(OPEN_MS);
  const first = await context.newPage();
  const front = state ? await reopenPages(first, state, deadline.atMost(REOPEN_MS)) : first;
  return { context, front };
}

/** A page that just went away has no place any more; its last frame is worth showing all the same. */
function placeOf(pages: Pages, { page }: Shot): Promise<Place> {
  const soon = startDeadline(500, new AbortController().signal);
  return pages.place(page, soon).catch(() => ({ url: page.url(), title: '' }));
}

function headerOf(pages: Pages, { page, width, height, scroll }: Shot, place: Place) {
  return {
    frame_id: newId(),
    recorded_at: new Date().toISOString(),
    content_type: 'image/jpeg' as const,
    width,
    height,
    device_scale: 1,
    scroll,
    page: pages.id(page),
    ...place,
    private: false,
  };
}
