// Answers the commands of a session. A command that acts is performed once, however often it is sent.

import type { SessionCommand } from '@pilothouse/bus';
import { bestEffort, handledLater } from '../common/best-effort.ts';
import { startDeadline } from '../common/deadline.ts';
import { failureOf, noLease, StepFailure, stale } from '../common/failure.ts';
import type { Driver } from '../driver/driver.ts';
import type { HandOver } from '../driver/hand-over.ts';
import type { PersonInput } from '../input/input.ts';
import type { Privacy } from '../live/privacy.ts';
import type { Screencast } from '../live/screencast.ts';
import type { ActCommand } from './act-queue.ts';
import type { Activity } from './activity.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { DriverPrompts } from './driver-prompts.ts';
import type { Observer } from './observe.ts';
import { emptyBody, failed, type Reply, withoutEvidence } from './reply.ts';
import { createReplyCache } from './reply-cache.ts';

const lookMs = 2000;
const observeMs = 5000;

type CommandOf<Type extends SessionCommand['type']> = Extract<SessionCommand, { type: Type }>;

type Options = {
  activity: Activity;
  driver: Driver;
  handOver: HandOver;
  privacy: Privacy;
  screencast: Screencast;
  observer: Observer;
  checkpoints: Checkpoints;
  input: PersonInput;
  act: (command: ActCommand) => Promise<Reply>;
  view: DriverPrompts['view'];
  repair: () => Promise<void>;
  isHeld: () => boolean;
  /** Aborted when the session closes. */
  signal: AbortSignal;
};

export function createCommands(options: Options): (command: SessionCommand) => Promise<Reply> {
  const { activity, driver, handOver, privacy, screencast, observer, checkpoints, act, view, signal } = options;
  const replies = createReplyCache<Reply>(withoutEvidence);
  const person = createInputCommands(options);

  async function look(): Promise<Reply> {
    const deadline = startDeadline(lookMs, signal);
    const [{ picture, image }, seen] = await Promise.all([observer.latestSnapshot(deadline), view.fresh(deadline)]);
    return { head: { ok: true, type: 'seen', picture, written: privacy.labels(), view: seen }, body: image };
  }

  function watch({ for_ms, is_driven, is_recording, seen }: CommandOf<'watch'>): Reply {
    if (is_driven) checkpoints.setDriven(for_ms);
    screencast.watch(for_ms, is_driven ? 'driver' : is_recording ? 'recorder' : 'viewer', seen);
    return { head: { ok: true, type: 'watching' }, body: emptyBody };
  }

  async function observe({ as, from, since, bring }: CommandOf<'observe'>): Promise<Reply> {
    const deadline = startDeadline(observeMs, signal);
    const [head, snapshot] = await Promise.all([
      as === 'view'
        ? observer.view({ from, since }, deadline).then((one) => ({ type: 'viewed', view: one }) as const)
        : observer
            .observe(from, bring.includes('text'), deadline)
            .then((observation) => ({ type: 'observed', observation }) as const),
      bring.includes('picture') ? bestEffort('take a snapshot', observer.takeSnapshot(deadline)) : undefined,
    ]);
    return { head: { ok: true, ...head, picture: snapshot?.picture ?? null }, body: snapshot?.image ?? emptyBody };
  }

  async function take({ epoch, is_person, is_program }: CommandOf<'take'>): Promise<Reply> {
    const cut = epoch > driver.epoch() ? (activity.commandId() ?? null) : null;
    if (!(await handOver(epoch, is_person ? 'person' : is_program ? 'program' : 'unknown'))) throw stale();
    // A person or a program need not wait until every crashed page is loaded. For an agent, opening the session loads them.
    if ((is_person || is_program) && options.isHeld()) void bestEffort('load crashed pages again', options.repair());
    return { head: { ok: true, type: 'taken', cut }, body: emptyBody };
  }

  async function actOnce(command: ActCommand): Promise<Reply> {
    const known = replies.get(command.command_id);
    if (known) return known;
    const isTaken = handOver(command.epoch, 'agent');
    // Kept before it is there: the same command may come again while the driver is replaced.
    const reply = isTaken.then((taken) =>
      // A newer driver may have come in the moment since.
      taken && command.epoch === driver.epoch() ? act(command) : failed(stale()),
    );
    if (command.epoch < driver.epoch()) return reply;
    // Refused for want of a lease, the same command may be sent again when the lease is back.
    const isRefused = ({ head }: Reply) => !head.ok && head.failure === 'no_lease' && !head.has_touched;
    handledLater(reply.then((one) => isRefused(one) && replies.forget(command.command_id)));
    return replies.keep(command.command_id, reply);
  }

  async function answer(command: SessionCommand): Promise<Reply> {
    switch (command.type) {
      case 'look':
        return look();
      case 'watch':
        return watch(command);
      case 'view':
        return nextView(view, command, signal);
      case 'observe':
        return observe(command);
      case 'answer':
        return replies.get(command.command_id) ?? failed(unknownCommand());
      case 'take':
        return take(command);
      case 'act':
      case 'gated_act':
        return actOnce(command);
      case 'input':
        return person.take(command);
      case 'count':
        return person.count(command);
    }
  }

  return (command) => answer(command).catch((error) => failed(signal.aborted ? browserGone(error) : failureOf(error)));
}

/** Input of the person who drives. */
function createInputCommands({ activity, driver, handOver, input, isHeld }: Options) {
  return {
    async count({ epoch, client_no }: CommandOf<'count'>): Promise<Reply> {
      if (epoch !== driver.epoch()) throw stale();
      return { head: { ok: true, type: 'counted', seq: await input.count(client_no) }, body: emptyBody };
    },

    async take({ epoch, inputs, client_no }: CommandOf<'input'>): Promise<Reply> {
      if (!isHeld()) throw noLease();
      if (!(await handOver(epoch, 'person'))) throw stale();
      // No await between this check and `input.take`: input of another driver would count as this driver's.
      if (epoch !== driver.epoch()) throw stale();
      activity.use();
      return { head: { ok: true, type: 'input', seq: await input.take(inputs, client_no) }, body: emptyBody };
    },
  };
}

async function nextView(
  view: DriverPrompts['view'],
  { known, wait_ms }: CommandOf<'view'>,
  signal: AbortSignal,
): Promise<Reply> {
  const next = await view.next(known, startDeadline(wait_ms, signal));
  return { head: { ok: true, type: 'view', view: next }, body: emptyBody };
}

const browserGone = (cause: unknown) => new StepFailure('crashed', 'the browser is gone', { cause });
const unknownCommand = () => new StepFailure('unknown_command', 'no such command is remembered here');
