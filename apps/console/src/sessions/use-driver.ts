// Who drives this session, and the calls behind the buttons of the driver bar.

import { canMove, isApiError, taskMoves } from '@pilothouse/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import type { Takeover } from '../live/api-types.ts';
import { type DriverAction, type DriverFacts, type DriverState, driverState } from '../live/driver-state.ts';
import { type SessionView, withTakeover } from '../live/session-model.ts';
import type { TaskView } from '../tasks/timeline-model.ts';
import { useDriverState } from '../window/use-driver-state.ts';
import { sessionKey } from './session-key.ts';
import { showError } from './show-error.ts';
import type { LiveSession } from './use-session.ts';
import { leaseEndOf, useWheel, type Wheel } from './use-wheel.ts';

type Options = Pick<LiveSession, 'connection' | 'frames'> & {
  id: string;
  view: SessionView;
  /** The last task of the session: the one that the wheel is taken from. */
  task: TaskView | undefined;
  /** Undefined without a login: every person at this server is the same user then. */
  me: { id: string; username: string } | undefined;
  lookBack: DriverFacts['lookBack'];
  /** Words about the agent's clock. */
  describeLimit: (now: number) => string | undefined;
  tasksBefore: number;
};

/** Inputs that wait are given this long to arrive before the wheel is handed back. */
const settleMs = 3000;

export function useDriver(options: Options) {
  const { id, view, connection, frames, task, me, lookBack, describeLimit, tasksBefore } = options;
  const [hasKeys, setHasKeys] = useState(false);
  const { takeover } = view;
  const isMine = takeover?.status === 'active' && (me === undefined || takeover.held_by === me.id);
  const heldKey = isMine && takeover ? [takeover.takeover_id, takeover.epoch, takeover.client_id].join(' ') : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same takeover, epoch and window are the same wheel
  const held = useMemo(() => (isMine ? takeover : undefined) ?? undefined, [heldKey]);
  const setTakeover = useSetTakeover(id);
  const wheel = useWheel({ sessionId: id, held, setTakeover });
  const drives = wheel.place !== 'elsewhere';
  const recoveredAt = useRise(task && { id: task.task_id, number: task.attempt });
  const reopenedAt = useRise(held && { id: held.takeover_id, number: held.epoch });
  const commands = useCommands({ id, task, wheel, setTakeover });

  const stateAt = (now: number): DriverState =>
    driverState({
      session: view.session,
      takeover: held && takeover ? { ...takeover, expires_at: leaseEndOf(takeover, wheel.answeredAt()) } : takeover,
      task: task ?? null,
      connection,
      me: me?.id ?? takeover?.held_by ?? undefined,
      isMyRequest: me === undefined || takeover?.requested_by === me.username,
      tab: { drives, hasKeys, inputsWaiting: wheel.queue.waiting() },
      lookBack,
      clock: describeLimit(now),
      frameAt: frames.newest()?.recorded_at,
      recoveredAt,
      reopenedAt,
      tasksBefore,
      now,
    });
  const state = useDriverState(stateAt);
  const drive = useMemo(
    () => (drives ? { queue: wheel.queue, hasKeys, onKeys: setHasKeys } : undefined),
    [drives, wheel.queue, hasKeys],
  );
  return { state, stateAt, drive, hasKeys, ...commands };
}

/** When the number was seen to rise: another agent took the task up, or the browser was opened again. */
function useRise(counted: { id: string; number: number } | undefined): number | undefined {
  const seen = useRef<{ id: string; number: number }>(undefined);
  const [at, setAt] = useState<number>();
  const { id, number } = counted ?? {};
  useEffect(() => {
    if (id === undefined || number === undefined) return;
    if (seen.current?.id === id && number > seen.current.number) setAt(Date.now());
    seen.current = { id, number };
  }, [id, number]);
  return at;
}

/** Puts the takeover of an answer into the view, also while no stream brings it. */
function useSetTakeover(id: string) {
  const cache = useQueryClient();
  return useCallback(
    ({ resume_token: _, ...takeover }: Takeover & { resume_token?: string }) =>
      cache.setQueryData<SessionView>(sessionKey(id), (view) => {
        // The stream may have brought more by now.
        const isOlder = view?.takeover?.takeover_id === takeover.takeover_id && rank(view.takeover) > rank(takeover);
        return view && !isOlder ? withTakeover(view, takeover) : view;
      }),
    [cache, id],
  );
}

const rank = ({ status }: Takeover): number => ['requested', 'active', 'resuming', 'ended'].indexOf(status);

type CommandOptions = {
  id: string;
  task: TaskView | undefined;
  wheel: Wheel;
  setTakeover: (takeover: Takeover) => unknown;
};

function useCommands({ id, task, wheel, setTakeover }: CommandOptions) {
  const [busy, setBusy] = useState<DriverAction>();
  const taskId = task?.task_id;
  const canTake = task !== undefined && canMove(task.status, taskMoves.take);

  const take = async () => {
    const client_id = wheel.createId();
    const { takeover } =
      canTake && taskId
        ? await client.requestTakeover({ id: taskId, client_id })
        : await client.requestSessionTakeover({ id, client_id });
    setTakeover(takeover);
  };
  const takeNow = async () => {
    if (!taskId) return take();
    const { takeover } = await client.signalTakeover({ id: taskId, client_id: wheel.createId() });
    if (takeover) setTakeover(takeover);
  };
  const handBack = async (note?: string) => {
    const late = new Promise((resolve) => setTimeout(resolve, settleMs));
    await Promise.race([wheel.queue.settled(), late]);
    const ofSession = async () => (await client.resumeSessionTakeover({ id, note })).takeover;
    const isOfTask = task !== undefined && canMove(task.status, taskMoves.cancel);
    if (!isOfTask || !taskId) return void setTakeover(await ofSession());
    try {
      setTakeover((await client.resumeTakeover({ id: taskId, note })).takeover);
    } catch (error) {
      // The task had ended or waits: the wheel was taken from the session.
      if (!isApiError(error, 'conflict') && !isApiError(error, 'not_found')) throw error;
      setTakeover(await ofSession());
    }
  };

  const calls: Partial<Record<DriverAction, (note?: string) => Promise<unknown>>> = {
    take,
    take_again: take,
    open_and_drive: take,
    take_now: takeNow,
    hand_back: handBack,
    never_mind: handBack,
    i_am_here: async () => setTakeover((await client.renewTakeover({ id })).takeover),
    drive_here: async () => wheel.driveHere(),
    cancel: async () => taskId && client.cancelTask({ id: taskId }),
  };
  const act = async (action: DriverAction, note?: string): Promise<void> => {
    const call = calls[action];
    if (!call || busy) return;
    setBusy(action);
    try {
      await call(note);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(undefined);
    }
  };
  return { act, busy };
}
