// The session page once its snapshot is there: window, panel, time axis and drawer.

import { isTerminal } from '@pilothouse/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useRef } from 'react';
import { useUser } from '../api/use-user.ts';
import { TimeAxis } from '../axis/time-axis.tsx';
import { useLookBack } from '../axis/use-look-back.ts';
import { Drawer } from '../drawer/drawer.tsx';
import { describeClock } from '../live/describe-time.ts';
import type { DriverAction, DriverState } from '../live/driver-state.ts';
import type { SessionView } from '../live/session-model.ts';
import { type Axis, type AxisStep, createGrowingAxis, type GrowingAxis } from '../tasks/axis-model.ts';
import type { Decided } from '../tasks/read-decided.ts';
import type { StepItem, TaskView } from '../tasks/timeline-model.ts';
import type { CaptionWords } from '../window/caption.tsx';
import { DriverBar } from '../window/driver-bar.tsx';
import { LiveWindow } from '../window/live-window.tsx';
import { Panes } from './panes.tsx';
import { SessionTopBar } from './session-top-bar.tsx';
import { type PanelTab, TaskPanel } from './task-panel.tsx';
import { useDriver } from './use-driver.ts';
import type { SessionData } from './use-session-data.ts';
import { useSessionKeys } from './use-session-keys.ts';
import { useTools } from './use-tools.ts';

const route = getRouteApi('/app/sessions/$id');

type LoadedSessionProps = { id: string; data: SessionData; view: SessionView };

/** What the page shows and does: who drives, the moment that is looked at, and the buttons. */
function useSessionControls({ id, data, view }: LoadedSessionProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = useCallback(
    (next: Partial<typeof search>, replace = true) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace }),
    [navigate],
  );
  const showTask = useCallback((task: string) => set({ task, at: undefined, tab: undefined }, false), [set]);
  const user = useUser();
  const { task, session, recording, detail } = data;
  const me = user?.id;
  const axis = useAxis(data, me);
  const lookBack = useLookBack({
    sessionId: id,
    at: search.at,
    setAt: (at) => set({ at }),
    axis,
    isGrowing: task !== undefined && !isTerminal(task.status),
    frames: recording.frames,
    overlays: recording.overlays,
    refresh: recording.refresh,
  });
  const limit = detail?.settings.time_limit_secs;
  const describeLimit = (now: number) =>
    task && limit ? `${describeClock(axis.at(now).agentMs)} of ${describeClock(limit * 1000)} on its clock` : undefined;
  const driver = useDriver({
    id,
    ...session,
    view,
    task: data.isLast ? task : undefined,
    me: user,
    lookBack:
      lookBack.moment === undefined || lookBack.axis === undefined
        ? undefined
        : {
            at: new Date(lookBack.moment).toISOString(),
            sub: describePast(task, lookBack.step, lookBack.axis, lookBack.moment),
          },
    describeLimit,
    tasksBefore: data.tasks.filter((one) => !isTerminal(one.status) && one.id !== data.taskId).length,
  });
  const tools = useTools();
  const { state } = driver;
  const act = (action: DriverAction, note?: string) => {
    if (action === 'back_to_live') lookBack.controls.onLive();
    else if (action === 'answer' || action === 'decide') focusAnswer();
    else if (action === 'keep_picture') tools.keepPicture();
    else void driver.act(action, note);
  };
  useSessionKeys({
    state,
    act,
    controls: lookBack.controls,
    tools,
    drawer: search.drawer,
    setDrawer: (drawer) => set({ drawer }),
  });
  return { search, set, showTask, user, axis, lookBack, driver, tools, state, act };
}

export function LoadedSession({ id, data, view }: LoadedSessionProps) {
  const controls = useSessionControls({ id, data, view });
  const { search, set, showTask, user, axis, lookBack, driver, tools, state, act } = controls;
  const { task, session, recording, detail } = data;
  const isPast = lookBack.past !== undefined;
  const seek = useRef(lookBack.controls.onSeek);
  seek.current = lookBack.controls.onSeek;
  const showStep = useCallback((item: StepItem) => item.at && seek.current(Date.parse(item.at)), []);
  const tab: PanelTab =
    search.tab === 'steps' || search.tab === 'files' ? search.tab : task?.result ? 'result' : 'steps';

  return (
    <div className="flex min-h-0 flex-1 flex-col" ref={tools.page}>
      <SessionTopBar
        id={id}
        session={view.session}
        viewers={view.viewers}
        tasks={data.tasks}
        taskId={data.taskId}
        onTask={showTask}
      />
      <Panes
        window={
          <LiveWindow
            view={view}
            frames={session.frames}
            connection={session.connection}
            past={lookBack.past}
            drive={driver.drive}
            ring={isPast ? undefined : state.tone === 'you' ? 'you' : state.tone === 'them' ? 'them' : undefined}
            caption={captionOf(task, state, view, lookBack.step, data.decided)}
            approval={state.kind === 'asks_yes' ? task?.question?.approval : undefined}
            tools={tools.window}
          >
            <DriverBar state={state} stateAt={driver.stateAt} busy={driver.busy} onAct={act} />
          </LiveWindow>
        }
        panel={
          <TaskPanel
            sessionId={id}
            isClosed={view.session.status === 'closed'}
            task={task}
            detail={detail}
            messages={data.messages}
            overlays={recording.overlays.length > 0 ? [...recording.overlays, ...view.overlays] : view.overlays}
            waiting={data.tasks.filter(({ status, id: other }) => status === 'pending' && other !== data.taskId).length}
            axis={axis}
            driver={state}
            isAct={driver.busy !== undefined}
            initials={(user?.username ?? 'You').slice(0, 2).toUpperCase()}
            older={data.older}
            decided={data.decided}
            shownStep={lookBack.step?.stepId}
            tab={tab}
            onTab={(next) => set({ tab: next })}
            onShowStep={showStep}
            onAct={act}
            onTask={showTask}
            onShowLog={() => set({ drawer: 'logs' })}
          />
        }
        axis={
          <TimeAxis
            axis={axis}
            isOpen={session.connection === 'connected'}
            controls={lookBack.controls}
            pictures={{ sessionId: id, frames: recording.frames }}
            onPoint={data.older.wantSteps}
          />
        }
        drawer={<Drawer data={data} axis={axis} open={search.drawer} onOpen={(drawer) => set({ drawer })} />}
      />
    </div>
  );
}

/** The question is the last row: where the list is scrolled away from it, it comes into the page first. */
function focusAnswer(): void {
  const shown = document.getElementById('answer');
  shown?.focus();
  if (shown) return;
  const list = document.querySelector('[data-testid=timeline]');
  list?.scrollTo(0, list.scrollHeight);
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById('answer')?.focus()));
}

/** Made again only when something of it changed: it is long where the task is. */
function useAxis({ bands, taskId, task, older }: SessionData, me: string | undefined): GrowingAxis {
  const status = task?.status;
  const current = task && !isTerminal(task.status) && task.current_step > 0 ? task.current_step : undefined;
  const { attempts } = older;
  return useMemo(
    () => createGrowingAxis({ bands, taskId, me, attempts, current, isPending: status === 'pending' }),
    [bands, taskId, me, attempts, current, status],
  );
}

/** Where the moment is: `Step 3 of 9 · 0:24 of 2:55`. */
function describePast(task: TaskView | undefined, step: AxisStep | undefined, axis: Axis, at: number): string {
  const of = task?.total_steps ? ` of ${task.total_steps}` : '';
  const time = `${describeClock(at - axis.from)} of ${describeClock(axis.to - axis.from)}`;
  return step === undefined ? time : `Step ${step.index}${of} · ${time}`;
}

function captionOf(
  task: TaskView | undefined,
  state: DriverState,
  view: SessionView,
  pastStep: AxisStep | undefined,
  decided: Decided | undefined,
): CaptionWords {
  if (state.tone === 'you') {
    const others = view.viewers - 1;
    const who = others > 0 ? `${others} ${others === 1 ? 'other sees' : 'others see'} a placeholder. ` : '';
    return { isPrivate: true, text: `${who}What you write is not kept, and is covered for the agent too.` };
  }
  if (pastStep) {
    const thought = task?.agent_history.findLast(({ step_id }) => step_id === pastStep.stepId)?.thinking;
    return { step: pastStep.index, text: thought ?? pastStep.title };
  }
  if (!task) return { text: '' };
  if (state.kind === 'asks_yes')
    return { isWaiting: true, text: 'The agent stands still until you decide. Its clock stands too.' };
  if (task.status === 'failed') return { step: task.current_step, text: task.last_error ?? '' };
  const thought = task.agent_history.findLast(({ step_index }) => step_index === task.current_step)?.thinking;
  const newest = decided?.decisions.at(-1);
  return { step: task.current_step, text: newest?.thinking ?? newest?.goal ?? thought ?? task.current_step_title };
}
