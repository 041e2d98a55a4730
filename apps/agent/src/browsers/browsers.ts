// The agent's side of the browsers: has steps done in them and says who drives. Never decides what a task does next.

import { type Bus, type Gate, type OnlyIf, type SavedState, sessionCommand, type TypedSecret } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { createHostClient, createRedactorOf, isSilent, type RedactorOf } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import { newId, type Store } from '@pilothouse/store';
import type { BrowserHandle, HostHold } from './handle.ts';
import { createHostWatch } from './host-watch.ts';
import { isLost, type Outcome, outcomeOf, withoutValues } from './outcome.ts';
import { createPageLook } from './page-look.ts';
import { createPlacement } from './placement.ts';

export type Command = {
  commandId?: string;
  step: Step;
  /** What the view said of the handle: the host touches nothing else. */
  onlyIf?: OnlyIf;
  /** The value that the step names. */
  secret?: TypedSecret;
  /** False where no secret was typed in the session so far: then there is nothing to strike. */
  mayShowSecrets?: boolean;
  /**
   * The rules that the act is held to: a host that does not know of rules refuses it. Without them, it is an act of the agent's
   * own, such as closing an alert.
   */
  gate?: Gate;
  deadlineMs: number;
  bring?: ('picture' | 'state')[];
  signal: AbortSignal;
};

type Options = { store: Store; bus: Bus; log: Log; onTaskWaits?: () => void };

const answerMs = 20_000;
const stateMs = 5000;
const cutMs = 1000;
const takeMs = 3000;

/** A host of an older release does not know what was added to steps since. Its browser is as well as before. */
const notUnderstood: Outcome = {
  type: 'failed',
  failure: 'unsupported',
  message: 'the browser host does not know this kind of step; it may be of an older release',
  hasTouched: false,
};

type ActOptions = { bus: Bus; hostWatch: ReturnType<typeof createHostWatch>; redactorOf: RedactorOf };

function createAct({ bus, hostWatch, redactorOf }: ActOptions) {
  /** Has the host do one step. A host that gets the same command id again returns its first result and does nothing. */
  return async function act(sessionId: string, { hostId, epoch }: HostHold, command: Command): Promise<Outcome> {
    const { commandId = newId(), step, onlyIf, gate, secret, deadlineMs, bring, signal } = command;
    const said = { command_id: commandId, epoch, deadline_ms: deadlineMs, step, only_if: onlyIf, secret, bring };
    const message = gate ? ({ type: 'gated_act', ...said, gate } as const) : ({ type: 'act', ...said } as const);
    const to = { host_id: hostId, session_id: sessionId };
    const gone = hostWatch.watch(sessionId, { hostId, epoch });
    const within = AbortSignal.any([signal, gone.signal]);
    const result = await bus
      .request(sessionCommand, to, message, { timeoutMs: deadlineMs + 5000, signal: within })
      .finally(gone.close);
    if (result.ok && command.mayShowSecrets === false && !secret) return outcomeOf(result.reply);
    if (result.ok) return withoutValues(outcomeOf(result.reply), await redactorOf(sessionId, secret?.value));
    if (result.reason === 'refused' && result.refusal === 'bad_request') return notUnderstood;
    const { reason, mayHaveActed } = result;
    const isUnheard =
      reason === 'disconnected' ||
      reason === 'timeout' ||
      (reason === 'no_responders' && (await hostWatch.isBack(to, commandId)));
    return { type: 'lost', reason, mayHaveActed, isUnheard };
  };
}

/** The agent's side of the browsers: finds or opens the browser of a session, and has steps done in it. */
export function createBrowsers({ store, bus, log, onTaskWaits }: Options) {
  const hosts = createHostClient(bus);
  const hostWatch = createHostWatch({ store, bus });

  const redactorOf = createRedactorOf(store);
  const act = createAct({ bus, hostWatch, redactorOf });

  return {
    ...createPlacement({ store, bus, log, onTaskWaits }),
    ...createPageLook({ bus, redactorOf }),
    redactorOf,
    act,
    isAtHost: hostWatch.isAtHost,

    /** Whether the database still has the browser at this host, under this epoch. The host may be without a lease now. */
    async holds(sessionId: string, { hostId, epoch }: HostHold): Promise<boolean> {
      const known = await store.browsers.of(sessionId);
      return known?.is_gone === false && known.host_id === hostId && known.epoch === epoch;
    },

    /**
     * The result of a command, from the host that has the browser now; undefined where the host does not know the command.
     * Throws where the host may not act now.
     */
    async answerOf(sessionId: string, { hostId }: BrowserHandle, commandId: string): Promise<Outcome | undefined> {
      const message = { type: 'answer', command_id: commandId } as const;
      const to = { host_id: hostId, session_id: sessionId };
      const result = await bus.request(sessionCommand, to, message, { timeoutMs: answerMs });
      if (!result.ok) return undefined;
      const { head } = result.reply;
      if (!head.ok && head.failure === 'no_lease') throw new Error('the host has no lease now');
      if (!head.ok && ['unknown_command', 'no_session'].includes(head.failure)) return undefined;
      return withoutValues(outcomeOf(result.reply), await redactorOf(sessionId));
    },

    /** The state from which the browser can be opened again, as of now; null where the host does not give it. */
    async stateOf(sessionId: string, handle: BrowserHandle, signal: AbortSignal): Promise<SavedState | null> {
      const step = { action: 'wait', for: { secs: 0 } } as const;
      const outcome = await act(sessionId, handle, { step, deadlineMs: stateMs, bring: ['state'], signal });
      return outcome.type === 'acted' ? outcome.acted.state : null;
    },

    /**
     * Tells the host of a new driver. The host stops what an older epoch began, and refuses everything else from it. True
     * where it obeys, false where it has no such browser; throws where that is unknown.
     */
    async setDriver(sessionId: string, { hostId, epoch }: HostHold, { isPerson = false } = {}): Promise<boolean> {
      const result = await hosts.take({ sessionId, hostId, epoch }, { isPerson, timeoutMs: takeMs });
      if (result.type === 'done') return true;
      if (isSilent(result)) return false;
      if (result.type === 'unanswered') throw new Error(`the host was not told of a new driver: ${result.reason}`);
      if (!isLost(result.failure)) throw new Error(`the host does not take a new driver: ${result.message}`);
      return false;
    },

    /** Tells the host of the driver who replaced this agent, in case that driver could not: our command stops there. */
    async tellNewDriver(sessionId: string, { hostId, epoch }: BrowserHandle): Promise<void> {
      const known = await store.browsers.of(sessionId);
      if (!known || known.host_id !== hostId || known.epoch <= epoch) return;
      await hosts.take({ sessionId, hostId, epoch: known.epoch }, { timeoutMs: cutMs });
    },
  };
}
export type Browsers = ReturnType<typeof createBrowsers>;
