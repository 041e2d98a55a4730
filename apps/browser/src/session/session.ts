// One session: its browser, its driver, and its answers. Nothing else touches its Chromium.

import type { DomainPolicy, Frame, ProgramRules, SavedState, SessionCommand } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import { createPerformer } from '../actions/perform.ts';
import type { Chromium } from '../chromium/launch.ts';
import { type Deadline, startDeadline } from '../common/deadline.ts';
import { createDriver } from '../driver/driver.ts';
import { createHandOver } from '../driver/hand-over.ts';
import { createInFlight, type InFlight } from '../driver/in-flight.ts';
import { createMouseButton } from '../driver/mouse-button.ts';
import { createStop } from '../driver/stop.ts';
import { type BlockedRequests, createBlockedRequests } from '../guard/blocked.ts';
import { watchSchemes } from '../guard/rules/schemes.ts';
import type { PersonInput } from '../input/input.ts';
import { createFramePublisher } from '../live/frame.ts';
import { createPrivacy } from '../live/privacy.ts';
import { createScreencast, type Screencast } from '../live/screencast.ts';
import type { FileLimits, Files } from '../pages/file-transfer.ts';
import { openContext } from '../state/restore.ts';
import type { OnCut } from '../state/saved-state.ts';
import { createActQueue } from './act-queue.ts';
import { type Activity, createActivity } from './activity.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { createCommands } from './commands.ts';
import { createDriverPrompts, type DriverPrompts } from './driver-prompts.ts';
import { createObserver } from './observe.ts';
import { createPageReports, type PageReports, type SessionReport } from './page-reports.ts';
import { createPersonInput } from './person-input.ts';
import { createPrivateTabs, type PrivateTabs } from './private-tabs.ts';
import { createProgramDoors, type ProgramDoors } from './program-doors.ts';
import { narrowReach } from './program-reach.ts';
import type { Reply } from './reply.ts';
import { followSessionPages, type SessionPages } from './session-pages.ts';
import { createTypedSecrets, type TypedSecrets } from './typed-secrets.ts';

export type SessionUsage = { pages: number; isWatched: boolean; idleMs: number };

export type Session = {
  epoch(): number;
  /** Makes a newer epoch the driver. Resolves when the driver before can touch nothing any more. */
  take(epoch: number): Promise<'taken' | 'stale'>;
  /** Sets which addresses the browser may reach from now on. */
  setReach(reach: DomainPolicy): void;
  answer(command: SessionCommand): Promise<Reply>;
  files: Files;
  /** Opens a door for a program. */
  openDoor: ProgramDoors['open'];
  usage(): SessionUsage;
  isShown: Screencast['isShown'];
  /** Opens pages again that crashed while the browser lives. */
  repair(): Promise<void>;
  /** Resolves when the steps of agents that were begun until now have ended. */
  idle(): Promise<unknown>;
  /** Reads the state from which the session can be opened again. */
  save(deadline: Deadline): Promise<SavedState>;
  close(): Promise<void>;
};

export type SessionOptions = {
  sessionId: string;
  epoch: number;
  /** True if the session is opened for a person, who may see private frames. */
  isPerson: boolean;
  viewport: { width: number; height: number };
  state: SavedState | null;
  reach: DomainPolicy;
  /** Values that were typed in the session before. */
  secrets?: readonly string[];
  chromium: Chromium;
  fileLimits?: FileLimits;
  maxPages: number;
  /** How long a person has to answer a dialog. */
  dialogAnswerMs?: number;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  onFrame: (frame: Frame) => void;
  onReport: (report: SessionReport) => void;
  /** Called with a state that went into no reply. */
  onCheckpoint: (state: SavedState) => void;
  /** Called when part of the state is left out. */
  onCut: OnCut;
  /** Called when the page opens several tabs at once, which is expensive. */
  onBurst: () => void;
  /** Called when a page shows another document. */
  onLoad: () => void;
  /** Called when the browser is gone: nothing more can be done here. */
  onGone: () => void;
};

const openMs = 15_000;
const repairMs = 8000;
/** So long after an act of a program the state is saved with each page that loads. */
const savedAfterActMs = 15_000;

export async function openSession(given: SessionOptions): Promise<Session> {
  const secrets = createTypedSecrets(given.secrets ?? []);
  const options = withoutSecrets(given, secrets);
  const { chromium, viewport, state } = options;
  const closed = new AbortController();
  const activity = createActivity();
  const reports = createPageReports(options.isPerson, options.onReport);
  const refused = createBlockedRequests(chromium.guard, (refusal) => reports.send({ type: 'refused', ...refusal }));
  // Before the first page is opened.
  setReach(chromium, options.reach);
  const opened = await openContext(chromium, viewport, state, startDeadline(openMs, closed.signal));
  if (!opened.hasStorage) options.onCut({ what: ['storage that cannot be put back'], sizeBytes: 0 });
  const { session, masked } = assemble({ ...opened, options, secrets, closed, activity, reports, refused });
  // No picture of a restored page before it is masked.
  await masked;
  return session;
}

/** What the session sends by itself has no value that was typed as a secret. */
const withoutSecrets = (options: SessionOptions, { words }: TypedSecrets): SessionOptions => ({
  ...options,
  onFrame: ({ header, image }) => options.onFrame({ header: words(header), image }),
  onReport: (report) => options.onReport(words(report)),
});

const setReach = ({ guard }: Chromium, { allow, deny }: DomainPolicy) =>
  guard?.setLists({ allow: allow ?? undefined, deny });

/** Which hosts the browser may reach: fewer while programs drive whose rules say so. */
function createReach({ chromium, reach }: Pick<SessionOptions, 'chromium' | 'reach'>) {
  let [own, rules]: [DomainPolicy, readonly ProgramRules[]] = [reach, []];
  const apply = () => setReach(chromium, narrowReach(own, rules));
  return {
    set(next: DomainPolicy): void {
      own = next;
      apply();
    },
    narrow(next: readonly ProgramRules[]): void {
      rules = next;
      apply();
    },
  };
}

const inTurn = (one: () => void, other: () => void) => () => {
  one();
  other();
};

type Assembly = {
  options: SessionOptions;
  secrets: TypedSecrets;
  context: BrowserContext;
  front: Page;
  closed: AbortController;
  activity: Activity;
  reports: PageReports;
  refused: BlockedRequests;
};

/** Without an await, so that no part is called before all parts are there. */
function assemble(assembly: Assembly) {
  const { options, secrets, context, closed, activity, refused } = assembly;
  const { sessionId, chromium, isHeld, onGone } = options;
  const { signal } = closed;
  const parts = new DisposableStack();
  const epoch = () => driver.epoch();
  const { privacy, sessionPages, screencast } = createSight(assembly, {
    epoch,
    onDialog: (page, dialog) => prompts.onDialog(page, dialog),
    onCopied: (text) => prompts.onCopied(text),
    onLoad: inTurn(options.onLoad, () => checkpoints.onLoad()),
  });
  parts.defer(sessionPages.close);
  parts.defer(screencast.close);
  const { pages, dialogs, files, eyesOf } = sessionPages;
  const prompts = createDriverPrompts({
    ...sessionPages,
    privacy,
    refused,
    epoch,
    signal,
    firstEpoch: options.epoch,
    dialogAnswerMs: options.dialogAnswerMs,
    chooserOf: (page) => input.chooserOf(page),
    hasProgram: () => doors.hasAny(),
  });
  parts.defer(prompts.close);
  const openPrivate: PrivateTabs['open'] = (keep) => privateTabs.open(keep);
  const input = createPersonInput({ ...sessionPages, screencast, privacy, prompts, isHeld, openPrivate });
  parts.defer(() => void input.close());
  const inFlight = createInFlight(isHeld);
  const mouseButton = createMouseButton(pages.isCrashed);
  const perform = createPerformer({ ...sessionPages, mouseButton, inFlight, refused });
  const observer = createObserver({ sessionId, pages, dialogs, screencast, privacy, epoch, eyesOf });
  const checkpoints = createCheckpoints({ ...options, context, pages, dialogs, signal });
  parts.defer(checkpoints.close);
  const stopPages = createStop({ pages, dialogs, inFlight, mouseButton, signal, endBrowser: onGone });
  const reach = createReach(options);
  const doors = createDoors({ ...assembly, reach, sessionPages, screencast, checkpoints, prompts, epoch, signal });
  const privateTabs = createPrivateTabs({
    ...{ ...options, context, pages, dialogs, checkpoints, epoch, signal },
    onContext: (beside) => watchSchemes(beside, refused.scheme),
  });
  parts.defer(doors.close);
  const stopping = { activity, inFlight, pages, prompts, input, doors, stopPages };
  const driver = createDriver(options.epoch, createStopDriver(stopping));
  parts.defer(driver.close);
  const handOver = doors.following(privateTabs.following(prompts.following(createHandOver({ driver, privacy }))));
  const shared = { activity, pages, privacy, screencast, observer, checkpoints, driver, isHeld, signal };
  const repair = () => pages.repair(startDeadline(repairMs, signal));
  const { act, idle } = createActQueue({ ...shared, perform, isGone: () => isGone(chromium, signal), secrets, eyesOf });
  parts.defer(() => closed.abort());
  chromium.browser.once('disconnected', onGone);
  parts.defer(() => void chromium.browser.off('disconnected', onGone));
  const session: Session = {
    epoch,
    take: async (offered) => ((await handOver(offered, 'unknown')) ? 'taken' : 'stale'),
    setReach: reach.set,
    answer: redacted(secrets, createCommands({ ...shared, handOver, input, view: prompts.view, act, repair })),
    files,
    openDoor: actsWithoutSecrets(doors.open, secrets),
    isShown: screencast.isShown,
    usage: () => ({ pages: pages.all().length, isWatched: screencast.isWatched(), idleMs: activity.idleMs() }),
    repair,
    idle,
    save: checkpoints.save,
    async close() {
      parts.dispose();
      await chromium.close();
    },
  };
  return { session, masked: sessionPages.masked };
}

type SightOptions = Pick<Parameters<typeof followSessionPages>[0], 'epoch' | 'onDialog' | 'onCopied' | 'onLoad'>;

/** What is seen of the session: its pages, what of them is private, and their picture. */
function createSight(
  { options, secrets, context, front, closed, activity, reports, refused }: Assembly,
  heard: SightOptions,
) {
  const { sessionId } = options;
  const { signal } = closed;
  const { epoch } = heard;
  const privacy = createPrivacy({
    epoch: options.epoch,
    isPerson: options.isPerson,
    isActing: () => activity.commandId() !== undefined,
    onOpen: (page) => screencast.renew(page),
    onNotice: (page) => screencast.showAgain(page),
  });
  const prints = secrets.fingerprints;
  const sessionPages = followSessionPages({ ...options, context, front, privacy, reports, signal, prints, ...heard });
  const { pages } = sessionPages;
  reports.hideWordsWhile(() => privacy.isDriven() || pages.all().some(privacy.hidesPlace));
  watchSchemes(context, refused.scheme);
  const onShot = createFramePublisher({ sessionId, pages, privacy, epoch, signal, onFrame: options.onFrame });
  const screencast = createScreencast({ pages, reasonOf: privacy.reasonOf, epoch, onShot });
  return { privacy, sessionPages, screencast };
}

/** What is told of acts has no value that was typed as a secret: a page may have made it the name of a button. */
const actsWithoutSecrets =
  (open: ProgramDoors['open'], { words }: TypedSecrets): ProgramDoors['open'] =>
  ({ onActs, ...given }) =>
    open({ ...given, onActs: onActs && ((acts, epoch) => onActs(words(acts), epoch)) });

const isGone = ({ browser }: Chromium, signal: AbortSignal) => signal.aborted || !browser.isConnected();

type DoorParts = Pick<Assembly, 'options' | 'context' | 'activity'> & {
  sessionPages: SessionPages;
  screencast: Screencast;
  checkpoints: Pick<Checkpoints, 'setDriven'>;
  prompts: DriverPrompts;
  reach: ReturnType<typeof createReach>;
  epoch: () => number;
  signal: AbortSignal;
};

function createDoors(parts: DoorParts): ProgramDoors {
  const { options, sessionPages, context, activity, screencast, checkpoints, prompts, epoch, signal } = parts;
  const { chromium, isHeld, onGone, epoch: firstEpoch } = options;
  const { pages, dialogs, eyesOf } = sessionPages;
  return createProgramDoors({
    ...{ chromium, context, pages, dialogs, eyesOf, firstEpoch, epoch, isHeld, signal },
    onAct() {
      activity.use();
      screencast.touch();
      checkpoints.setDriven(savedAfterActMs);
    },
    onRules: parts.reach.narrow,
    onCount: prompts.view.changed,
    endBrowser: onGone,
  });
}

const redacted =
  ({ words }: TypedSecrets, answer: Session['answer']): Session['answer'] =>
  async (command) => {
    const { head, body } = await answer(command);
    return { head: words(head), body };
  };

type StopOptions = {
  activity: Activity;
  inFlight: InFlight;
  pages: SessionPages['pages'];
  prompts: DriverPrompts;
  input: PersonInput;
  doors: ProgramDoors;
  stopPages: ReturnType<typeof createStop>;
};

/** Nothing that was begun goes on after this: no load, no script of ours, no button held. */
function createStopDriver({ activity, inFlight, pages, prompts, input, doors, stopPages }: StopOptions) {
  return async (): Promise<void> => {
    const isIdle = !activity.commandId() && (await inFlight.idle(0));
    const touched = new Set([activity.actedPage() ?? pages.current(), pages.current()]);
    const open = [...touched].filter((page) => !page.isClosed());
    await prompts.end();
    await Promise.all([isIdle || stopPages(open), input.releaseAll(), doors.fence()]);
    activity.use();
  };
}
