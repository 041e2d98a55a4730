// Performs the acts of agents, one after the other, each with its evidence.

import type { SessionCommand, TypedSecret } from '@pilothouse/bus';
import { span } from '@pilothouse/process';
import type { Page } from 'playwright-core';
import type { createPerformer } from '../actions/perform.ts';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline } from '../common/deadline.ts';
import { failureOf, noLease, StepFailure, stale } from '../common/failure.ts';
import type { Dom } from '../dom/dom.ts';
import type { Driver } from '../driver/driver.ts';
import type { Privacy } from '../live/privacy.ts';
import type { Screencast } from '../live/screencast.ts';
import type { Pages } from '../pages/pages.ts';
import type { Activity } from './activity.ts';
import type { Checkpoints } from './checkpoints.ts';
import { type Observer, siteOnly } from './observe.ts';
import { emptyBody, failed, type Reply } from './reply.ts';
import type { TypedSecrets } from './typed-secrets.ts';

export type ActCommand = Extract<SessionCommand, { type: 'act' | 'gated_act' }>;

type Options = {
  activity: Activity;
  pages: Pages;
  privacy: Privacy;
  screencast: Screencast;
  observer: Observer;
  checkpoints: Checkpoints;
  driver: Driver;
  perform: ReturnType<typeof createPerformer>;
  secrets: TypedSecrets;
  eyesOf: (page: Page) => Dom;
  isHeld: () => boolean;
  /** Whether the browser has ended, or is being ended. */
  isGone: () => boolean;
  /** Aborted when the session closes. */
  signal: AbortSignal;
};

export type ActQueue = {
  act: (command: ActCommand) => Promise<Reply>;
  /** Resolves when the acts that were asked for until now have ended. */
  idle: () => Promise<unknown>;
};

export function createActQueue(options: Options): ActQueue {
  const { activity, pages, privacy, screencast, observer, checkpoints, driver, perform, isHeld, isGone } = options;
  const { secrets, eyesOf } = options;
  let last: Promise<unknown> = Promise.resolve();

  function act(command: ActCommand): Promise<Reply> {
    const deadline = startDeadline(command.deadline_ms, options.signal);
    const signal = driver.signal();
    const turn = last.then(() => doStep(command, deadline, signal)).catch((error) => failed(reasonOf(command, error)));
    last = turn;
    return turn;
  }

  async function doStep(command: ActCommand, deadline: Deadline, signal: AbortSignal): Promise<Reply> {
    if (deadline.isOver()) throw new StepFailure('timeout', 'its turn came too late; nothing was done');
    if (signal.aborted) throw stale();
    const page = pages.current();
    activity.begin(command.command_id, page);
    const hidBefore = privacy.hidesPlace(page);
    screencast.touch();
    try {
      const wants = (what: 'picture' | 'state') => command.bring.includes(what);
      const until = wants('picture') ? 'load' : 'domcontentloaded';
      const { step, only_if: onlyIf, secret } = command;
      if (secret) await expect(secret, deadline);
      const gate = command.type === 'gated_act' ? command.gate : undefined;
      const performed = await span('browser.act', { action: step.action }, () =>
        perform({ step, onlyIf, gate, secret, until, deadline, signal }),
      );
      if (hidBefore) performed.before = siteOnly(performed.before);
      // The step is done, every part of it begun under the lease: evidence that cannot be had in time is left out.
      const [snapshot, state, after] = await span('browser.evidence', {}, () =>
        Promise.all([
          wants('picture') ? bestEffort('take a snapshot', observer.takeSnapshot(deadline)) : undefined,
          wants('state') ? checkpoints.saveSoon(deadline) : undefined,
          observer.locationOf(pages.current(), deadline).catch(() => observer.lastLocationOf(pages.current())),
        ]),
      );
      if (!wants('state')) checkpoints.schedule();
      const head = { ...performed, after, state: state ?? null, picture: snapshot?.picture ?? null };
      return { head, body: snapshot?.image ?? emptyBody };
    } finally {
      activity.end();
    }
  }

  /** Every page covers the value before one has it: no picture shows it, wherever it is repeated. */
  async function expect(secret: TypedSecret, deadline: Deadline): Promise<void> {
    const isNew = secrets.add(secret);
    const prints = secrets.fingerprints();
    if (!isNew || !prints) return;
    const open = pages.all().filter((page) => !pages.isCrashed(page));
    await Promise.all(
      open.map(async (page) => {
        const hiding = eyesOf(page).hideSecrets(prints, deadline);
        await (page === pages.current() ? hiding : bestEffort('cover a secret behind', hiding));
      }),
    );
  }

  function reasonOf(command: ActCommand, error: unknown): StepFailure {
    const { hasTouched } = failureOf(error);
    const because = { cause: error, hasTouched };
    if (isGone()) return new StepFailure('crashed', 'the browser is gone', because);
    if (pages.isCrashed(pages.current())) return new StepFailure('crashed', 'the page has crashed', because);
    if (command.epoch < driver.epoch()) return stale(because);
    // When a host that stood still wakes, every deadline has passed at once: the lease is the reason, not the timeout.
    if (!isHeld()) return noLease().after(hasTouched);
    return failureOf(error);
  }

  return { act, idle: () => last };
}
