// One session: its browser, who drives it, and what was answered to whom. Nothing else touches its Chromium.

import type { Frame, Packed, Reach, Report, SavedState, SessionCommand, SessionReply } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import { createAnswers } from './answers.ts';
import type { Chromium } from './chromium.ts';
import { openContext } from './context.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { createDialogs } from './dialogs.ts';
import { createEyes, type Eyes } from './eyes/eyes.ts';
import { createRefs } from './eyes/refs.ts';
import { failureOf, noLease, StepFailure, stale } from './failure.ts';
import { createFiles, type FileLimits, type Files } from './files.ts';
import { createGrasp } from './grasp.ts';
import { watchSchemes } from './guard/schemes.ts';
import { newId } from './id.ts';
import { createInput } from './input.ts';
import { createLetGo } from './let-go.ts';
import { createLook, type Seen } from './look.ts';
import { originOf } from './origin.ts';
import { followPages, type Pages, type Place } from './pages.ts';
import { createPerformer } from './perform.ts';
import type { Shot } from './picture.ts';
import { createPrivacy } from './privacy.ts';
import { createRefused } from './refused.ts';
import { createScreencast } from './screencast.ts';
import { type OnCut, placesOf, readState } from './state.ts';
import { createTouching } from './touching.ts';
import { createWheel } from './wheel.ts';

export type Reply = Packed<SessionReply>;
type ActCommand = Extract<SessionCommand, { type: 'act' }>;
/** What a session tells by itself; whose it is, the host knows. */
export type Told = DistributiveOmit<Report, 'session_id' | 'epoch'>;
type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never;

export type Usage = { pages: number; isWatched: boolean; idleMs: number };

export type Session = {
  epoch(): number;
  /** Whoever drives with a newer epoch wins. Resolves when the driver before can touch nothing any more. */
  take(epoch: number): Promise<'taken' | 'stale'>;
  /** Where it may go from now on. */
  setReach(reach: Reach): void;
  answer(command: SessionCommand): Promise<Reply>;
  files: Files;
  usage(): Usage;
  /** A page died, and the browser lives. */
  isCrashed(): boolean;
  /** Opens again what crashed. */
  repair(): Promise<void>;
  /** What brings it back. */
  save(deadline: Deadline): Promise<SavedState>;
  close(): Promise<void>;
};

export type SessionOptions = {
  sessionId: string;
  epoch: number;
  /** It is opened for one, who sees all that comes. */
  isPerson: boolean;
  viewport: { width: number; height: number };
  state: SavedState | null;
  reach: Reach;
  chromium: Chromium;
  fileLimits?: FileLimits;
  maxPages: number;
  isHeld: () => boolean;
  onFrame: (frame: Frame) => void;
  onReport: (told: Told) => void;
  /** The state changed, and nobody was told with an answer. */
  onCheckpoint: (state: SavedState) => void;
  /** Part of the state is left out. */
  onCut: OnCut;
  /** It does what costs much. */
  onBurst: () => void;
  onLoad: () => void;
  /** The browser is gone: nothing more can be done here. */
  onGone: () => void;
};

const OPEN_MS = 15_000;
const REPAIR_MS = 8000;
const LOOK_MS = 2000;
const OBSERVE_MS = 5000;
const SAVE_MS = 2500;
const COVER_MS = 300;
const CHECKPOINT_MS = 10_000;
const CHECKPOINT_AFTER_MS = 300;

export async function openSession(options: SessionOptions): Promise<Session> {
  const { sessionId, viewport, state, chromium, isHeld, onFrame, onReport, onCheckpoint, onCut, onGone } = options;
  let frameCount = 0;
  let usedAt = performance.now();
  let underWay: string | undefined;
  /** The page of the last act, which may have brought another to the front. */
  let acted: Page | undefined;
  let drivenUntil = 0;
  let saved: SavedState | undefined = state ?? undefined;
  const closed = new AbortController();
  const eyes = new WeakMap<Page, Eyes>();
  const refs = createRefs();
  const privacy = createPrivacy({
    epoch: options.epoch,
    isPerson: options.isPerson,
    isActing: () => underWay !== undefined,
    onOpen: (page) => screencast.renew(page),
  });

  /** A report is written into the log, and while a person drives, what pages say and where they are is theirs. */
  const tellOfPage = (told: Told) => onReport(privacy.isDriven() ? wordless(told) : told);
  const opening = startDeadline(OPEN_MS, closed.signal);
  const dialogs = createDialogs((page, dialog) => page === pages.current() && tellOfPage({ type: 'dialog', dialog }));
  const { folder, downloads, uid } = chromium;
  const files = createFiles({
    folder,
    downloads,
    uid,
    limits: options.fileLimits,
    isCurrent: (offered) => offered >= wheel.epoch(),
  });
  /** Of the pages that are there from the beginning. */
  const masks: Promise<void>[] = [];
  let isOpening = true;
  const refused = createRefused(chromium.guard, (told) => tellOfPage({ type: 'refused', ...told }));
  const setReach = ({ allow, deny }: Reach) => chromium.guard?.setLists({ allow: allow ?? undefined, deny });
  setReach(options.reach);
  const { context, front, hasStorage } = await openContext(chromium, viewport, state, opening);
  if (!hasStorage) onCut({ what: ['storage that cannot be put back'], sizeBytes: 0 });
  const pages = followPages({
    context,
    first: front,
    maxPages: options.maxPages,
    onPage(page) {
      dialogs.follow(page);
      files.follow(page);
      // A page that closes at once needs none.
      const masked = eyesOf(page)
        .mask(startDeadline(OPEN_MS, closed.signal))
        .catch(() => undefined);
      if (isOpening) masks.push(masked);
    },
    onCrash: (page) => tellOfPage({ type: 'crashed', what: 'page', url: page.url() }),
    onRefused: (hit) => onReport({ type: 'wall', ...hit }),
    onBurst: options.onBurst,
    onLoad: options.onLoad,
  });
  watchSchemes(context, refused.scheme);
  chromium.browser.once('disconnected', onGone);
  // No picture of what was open before it is masked.
  isOpening = false;
  await Promise.all(masks);
  const screencast = createScreencast({
    pages,
    isPrivate: privacy.isPrivate,
    epoch: () => wheel.epoch(),
    onShot: publish,
  });
  const input = createInput({
    pages,
    dialog() {
      const page = pages.current();
      const answer = async (accept: boolean, text?: string) => void (await dialogs.answer(page, accept, text));
      return dialogs.of(page) ? { accept: (text) => answer(true, text), dismiss: () => answer(false) } : undefined;
    },
    fileCalled: files.called,
    isHeld,
    onTouch: screencast.touch,
  });
  const answers = createAnswers<Reply>();
  const touching = createTouching(isHeld);
  const grasp = createGrasp(pages.isCrashed);
  const perform = createPerformer({ pages, dialogs, files, grasp, touching, refused, eyesOf });
  const look = createLook({ sessionId, pages, dialogs, screencast, privacy, epoch: () => wheel.epoch(), eyesOf });
  const letGoOf = createLetGo({ pages, dialogs, touching, grasp, signal: closed.signal, endBrowser: onGone });
  const wheel = createWheel(options.epoch, letGo);
  let last: Promise<unknown> = Promise.resolve();

  function eyesOf(page: Page): Eyes {
    const known =
      eyes.get(page) ?? createEyes({ page, cdp: () => pages.cdp(page), refs, fields: privacy.follow(page) });
    eyes.set(page, known);
    return known;
  }

  function publish(shot: Shot, place: Place): void {
    if (closed.signal.aborted) return;
    frameCount += 1;
    onFrame({
      header: {
        ...headerOf(pages, shot, place),
        session_id: sessionId,
        epoch: shot.epoch ?? wheel.epoch(),
        seq: frameCount,
      },
      image: shot.image,
    });
  }

  /** Nothing that was begun goes on after this: no load, no script of ours, no button held. */
  async function letGo(): Promise<void> {
    const isResting = !underWay && (await touching.rest(0));
    const touched = [...new Set([acted ?? pages.current(), pages.current()])].filter((page) => !page.isClosed());
    await Promise.all([isResting || letGoOf(touched), input.releaseAll()]);
    usedAt = performance.now();
  }

  function act(command: ActCommand): Promise<Reply> {
    const deadline = startDeadline(command.deadline_ms, closed.signal);
    const signal = wheel.signal();
    const turn = last.then(() => doStep(command, deadline, signal)).catch((error) => failed(reasonOf(command, error)));
    last = turn;
    return turn;
  }

  async function doStep(command: ActCommand, deadline: Deadline, signal: AbortSignal): Promise<Reply> {
    if (deadline.isOver()) throw new StepFailure('timeout', 'its turn came too late; nothing was done');
    if (signal.aborted) throw stale();
    underWay = command.command_id;
    acted = pages.current();
    screencast.touch();
    try {
      const wants = (what: 'picture' | 'state') => command.bring.includes(what);
      const until = wants('picture') ? 'load' : 'domcontentloaded';
      const performed = await perform({ step: command.step, until, deadline, signal });
      // A host that stood still beyond its lease ends its browsers, and what it did may not have left them.
      if (!isHeld()) throw noLease().after(true);
      // It is done: what cannot be had in time is left out.
      const [seen, kept, after] = await Promise.all([
        wants('picture') ? look.shoot(deadline).catch(() => undefined) : undefined,
        wants('state') ? saveSoon(deadline) : undefined,
        pages.place(pages.current(), deadline).catch(() => ({ url: pages.current().url(), title: '' })),
      ]);
      if (!wants('state')) checkpoint();
      const head = { ...performed, after, state: kept ?? null, picture: seen?.picture ?? null };
      return { head, body: seen?.image ?? nothing };
    } finally {
      underWay = undefined;
      usedAt = performance.now();
    }
  }

  async function save(deadline: Deadline): Promise<SavedState> {
    saved = await readState(context, pages, deadline, { isMute: muteNow(), onCut });
    return saved;
  }

  /** Pages that wait for an answer or have crashed say nothing, nor do others that share a process with them. */
  function muteNow(): (page: Page) => boolean {
    const isStill = (page: Page) => dialogs.of(page) !== null || pages.isCrashed(page);
    const still = pages.all().filter(isStill);
    const sites = new Set(still.map((page) => originOf(page.url())));
    sites.delete(undefined);
    return (page) => isStill(page) || sites.has(originOf(page.url()));
  }

  async function saveSoon(deadline: Deadline): Promise<SavedState> {
    const isThere = AbortSignal.any([deadline.signal, pages.gone(pages.current())]);
    return save(deadline.atMost(SAVE_MS).until(isThere)).catch(() => {
      saved = placesOf(pages, saved);
      return saved;
    });
  }

  let pending: NodeJS.Timeout | undefined;
  /** A moment later, so that acts in quick succession are kept once, and none waits for it. */
  function checkpoint(): void {
    pending ??= setTimeout(() => {
      pending = undefined;
      void saveSoon(startDeadline(SAVE_MS, closed.signal)).then(onCheckpoint);
    }, CHECKPOINT_AFTER_MS);
  }
  const checkpoints = setInterval(() => performance.now() < drivenUntil && checkpoint(), CHECKPOINT_MS);

  function reasonOf(command: ActCommand, error: unknown): StepFailure {
    const { hasTouched } = failureOf(error);
    const because = { cause: error, hasTouched };
    const isGone = closed.signal.aborted || !chromium.browser.isConnected();
    if (isGone) return new StepFailure('crashed', 'the browser is gone', because);
    if (pages.isCrashed(pages.current())) return new StepFailure('crashed', 'the page has crashed', because);
    if (command.epoch < wheel.epoch()) return stale(because);
    // One that stood still and woke has run out of every time at once: that is not why.
    if (!isHeld()) return noLease().after(hasTouched);
    return failureOf(error);
  }

  /** Who drives from now on. What a person left on the page is covered before the next one begins. */
  async function hand(offered: number, who: 'person' | 'agent' | 'somebody'): Promise<boolean> {
    const isNew = offered > wheel.epoch();
    if (who === 'person') privacy.drive(offered, who);
    const isTaken = await wheel.take(offered);
    // Not before nothing of theirs is under way any more: what they wrote last is to be covered too.
    if (isTaken) privacy.drive(offered, who);
    if (isNew) await privacy.covered(COVER_MS);
    return isTaken;
  }

  async function answer(command: SessionCommand): Promise<Reply> {
    switch (command.type) {
      case 'look':
        return seen(await look.glance(startDeadline(LOOK_MS, closed.signal)), privacy.labels());
      case 'watch':
        if (command.is_driven) drivenUntil = performance.now() + command.for_ms;
        screencast.watch(command.for_ms, command.is_driven);
        return { head: { ok: true, type: 'watching' }, body: nothing };
      case 'observe': {
        const deadline = startDeadline(OBSERVE_MS, closed.signal);
        const [observation, shot] = await Promise.all([
          look.observe(command.from, command.bring.includes('text'), deadline),
          command.bring.includes('picture') ? look.shoot(deadline).catch(() => undefined) : undefined,
        ]);
        const head = { ok: true, type: 'observed', observation, picture: shot?.picture ?? null } as const;
        return { head, body: shot?.image ?? nothing };
      }
      case 'answer':
        return answers.get(command.command_id) ?? failed(unknown());
      case 'take': {
        const cut = command.epoch > wheel.epoch() ? (underWay ?? null) : null;
        if (!(await hand(command.epoch, command.is_person ? 'person' : 'somebody'))) throw stale();
        return { head: { ok: true, type: 'taken', cut }, body: nothing };
      }
      case 'act': {
        const known = answers.get(command.command_id);
        if (known) return known;
        const isTaken = hand(command.epoch, 'agent');
        // Remembered at once: the same command may come again while the wheel is handed over.
        const reply = isTaken.then((taken) =>
          // Another may have taken it in the moment since.
          taken && command.epoch === wheel.epoch() ? act(command) : failed(stale()),
        );
        return command.epoch < wheel.epoch() ? reply : answers.keep(command.command_id, reply);
      }
      case 'input': {
        if (!isHeld()) throw noLease();
        if (!(await hand(command.epoch, 'person'))) throw stale();
        // Nothing is waited for between this and the taking, or another's input would count as this driver's.
        if (command.epoch !== wheel.epoch()) throw stale();
        usedAt = performance.now();
        return { head: { ok: true, type: 'input', seq: await input.take(command.inputs) }, body: nothing };
      }
    }
  }

  return {
    epoch: wheel.epoch,
    take: async (offered) => ((await hand(offered, 'somebody')) ? 'taken' : 'stale'),
    setReach,
    answer: (command) =>
      answer(command).catch((error) => failed(closed.signal.aborted ? gone(error) : failureOf(error))),
    files,
    usage: () => ({
      pages: pages.all().length,
      isWatched: screencast.isWatched(),
      idleMs: Math.round(underWay ? 0 : performance.now() - usedAt),
    }),
    isCrashed: () => pages.all().some(pages.isCrashed),
    repair: () => pages.repair(startDeadline(REPAIR_MS, closed.signal)),
    save,
    async close() {
      chromium.browser.off('disconnected', onGone);
      closed.abort();
      wheel.close();
      clearInterval(checkpoints);
      clearTimeout(pending);
      screencast.close();
      void input.close();
      await chromium.close();
    },
  };
}

function wordless(told: Told): Told {
  if (told.type === 'dialog')
    return { ...told, dialog: told.dialog && { ...told.dialog, message: '', default_value: '' } };
  if (told.type === 'refused') return { ...told, target: 'an address' };
  return told.type === 'crashed' ? { ...told, url: null } : told;
}

const nothing = new Uint8Array();
const gone = (cause: unknown) => new StepFailure('crashed', 'the browser is gone', { cause });
const unknown = () => new StepFailure('unknown_command', 'no such command is remembered here');
const seen = ({ picture, image }: Seen, written: string[]): Reply => ({
  head: { ok: true, type: 'seen', picture, written },
  body: image,
});

export function failed({ failure, message, hasTouched }: StepFailure) {
  const head = { ok: false as const, failure, message, has_touched: hasTouched };
  return { head, body: nothing };
}

function headerOf(pages: Pages, { page, width, height, scroll, isPrivate }: Shot, place: Place) {
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
    private: isPrivate,
  };
}
