// The panel beside the window: the task, its timeline, its result, and what comes next.

import { isTerminal } from '@pilothouse/sdk';
import { Info, RefreshCw } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { client } from '../api/login.ts';
import { describeError, readScriptFaults, type ScriptFault } from '../api/words.ts';
import type { MessageState, Overlay, TaskDetail } from '../live/api-types.ts';
import type { DriverAction, DriverState } from '../live/driver-state.ts';
import type { GrowingAxis } from '../tasks/axis-model.ts';
import type { NextTask } from '../tasks/composer.tsx';
import { FileList } from '../tasks/file-list.tsx';
import { AnsweredQuestion, OpenQuestion } from '../tasks/question-card.tsx';
import type { Decided } from '../tasks/read-decided.ts';
import { HandoverRow, NoteRow, PromptRow, StepRow } from '../tasks/step-row.tsx';
import { TaskHead } from '../tasks/task-head.tsx';
import { Timeline } from '../tasks/timeline.tsx';
import { buildTimeline, type StepItem, type TaskView, type TimelineItem } from '../tasks/timeline-model.ts';
import { isModelTask } from '../tasks/use-decided.ts';
import type { Older } from '../tasks/use-older.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { moveInTabs } from '../ui/move-in-tabs.ts';
import { describePlan } from './describe-plan.ts';
import { describeDeeds, lengthOf, usePersonBands } from './handovers.ts';
import { showError } from './show-error.ts';
import { useDecide } from './use-decide.ts';

const Composer = lazy(() => import('../tasks/composer.tsx'));
const DecidedTimeline = lazy(() => import('../tasks/decided-timeline.tsx'));
const FailureCard = lazy(() => import('../tasks/failure-card.tsx'));
const ResultView = lazy(() => import('../tasks/result-view.tsx'));

export type PanelTab = 'steps' | 'result' | 'files';

type TaskPanelProps = {
  sessionId: string;
  isClosed: boolean;
  task: TaskView | undefined;
  detail: TaskDetail | undefined;
  messages: MessageState | null | undefined;
  overlays: readonly Overlay[];
  /** Tasks of the session that wait for their turn. */
  waiting: number;
  axis: GrowingAxis;
  older: Older;
  decided: Decided | undefined;
  driver: DriverState;
  isAct: boolean;
  initials: string;
  shownStep: string | undefined;
  tab: PanelTab;
  onTab: (tab: PanelTab) => void;
  onShowStep: (item: StepItem) => void;
  onAct: (action: DriverAction) => void;
  onTask: (taskId: string) => void;
  onShowLog: () => void;
};

export function TaskPanel(props: TaskPanelProps) {
  const { task, driver, axis, detail, tab, onTab } = props;
  const commands = useTaskCommands(props);
  const isOver = task !== undefined && isTerminal(task.status);
  const shown = isOver ? tab : 'steps';
  const isDriving = driver.tone === 'you';
  return (
    <aside aria-label="Task" className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      {task && (
        <TaskHead
          task={task}
          cost={(isOver ? undefined : props.decided?.cost) ?? task.cost}
          driver={driver.kind}
          axis={axis}
          limitSecs={detail?.settings.time_limit_secs}
          isCancelling={commands.busy === 'cancel'}
          onCancel={commands.cancel}
        />
      )}
      {isOver && <PanelTabs tab={shown} fileCount={task.result?.files.length ?? 0} onTab={onTab} />}
      {task?.status === 'failed' && shown === 'steps' && (
        <Suspense>
          <FailureCard
            task={task}
            isBusy={commands.busy !== undefined || props.isAct}
            canDrive={driver.actions.includes('open_and_drive')}
            onRunAgain={commands.runAgain}
            onDrive={() => props.onAct('open_and_drive')}
            onShowLog={props.onShowLog}
          />
        </Suspense>
      )}
      {shown === 'result' && task?.result ? (
        <Suspense fallback={<div className="flex-1" />}>
          <ResultView result={task.result} taskId={task.task_id} />
        </Suspense>
      ) : shown === 'files' && task?.result ? (
        <div className="min-h-0 flex-1 overflow-y-auto px-4">
          <FileList files={task.result.files} taskId={task.task_id} />
        </div>
      ) : (
        <Steps {...props} commands={commands} />
      )}
      {isDriving ? (
        <HandBackWords />
      ) : (
        <>
          {isOver && !(task.status === 'failed' && shown === 'steps') && (
            <div className="flex gap-2 border-t border-line px-3 pt-3 [&+form]:border-t-0">
              <Button
                size="sm"
                icon={RefreshCw}
                isBusy={commands.busy !== undefined}
                onClick={commands.runAgain}
                className="flex-1 narrow:h-11"
              >
                Run again
              </Button>
            </div>
          )}
          {/* The card of a yes needs the room, and what is written here would be no answer to it. */}
          {!props.isClosed && driver.kind !== 'asks_yes' && (
            <Suspense fallback={<div className="h-36 border-t border-line" />}>
              <Composer
                placeholder={isOver || !task ? 'What next in this session?' : 'Line up what comes next'}
                hint={isOver || !task ? 'Enter sends' : 'Begins when this task is over'}
                isBusy={commands.busy !== undefined}
                error={commands.error}
                faults={commands.faults}
                waiting={props.waiting}
                onSend={commands.send}
                tell={task && !isOver ? { isRead: isModelTask(task), onTell: commands.tell } : undefined}
              />
            </Suspense>
          )}
        </>
      )}
    </aside>
  );
}

function HandBackWords() {
  return (
    <div className="flex gap-2.5 border-t border-line p-4 text-ink-2">
      <Info size={16} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0" />
      <p>
        When you hand back, the agent learns your note, where you were before and after, and the names of the fields you
        wrote into. Never what you wrote.
      </p>
    </div>
  );
}

function PanelTabs({ tab, fileCount, onTab }: { tab: PanelTab; fileCount: number; onTab: (tab: PanelTab) => void }) {
  const tabs: [PanelTab, string][] = [
    ['steps', 'Steps'],
    ['result', 'Result'],
    ...(fileCount > 0 ? [['files', `Files ${fileCount}`] as [PanelTab, string]] : []),
  ];
  return (
    <div
      role="tablist"
      aria-label="Of this task"
      onKeyDown={moveInTabs}
      className="flex gap-1 border-b border-line px-2.5 py-1.5 narrow:py-0"
    >
      {tabs.map(([value, label]) => (
        <button
          key={value}
          type="button"
          role="tab"
          aria-selected={tab === value}
          tabIndex={tab === value ? 0 : -1}
          onClick={() => onTab(value)}
          className={cx(
            'h-7 rounded-2 px-2 font-medium narrow:h-11 narrow:rounded-none narrow:border-b-2 narrow:bg-transparent narrow:px-3',
            tab === value
              ? 'bg-sunken text-ink narrow:border-agent narrow:text-agent-ink'
              : 'text-ink-2 hover:text-ink narrow:border-transparent',
          )}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

function Steps(props: TaskPanelProps & { commands: ReturnType<typeof useTaskCommands> }) {
  const { task, detail, overlays, axis, initials, shownStep, onShowStep, commands } = props;
  const { items, onSight } = useItems(props);
  const decide = useDecide();
  const render = (item: TimelineItem) => {
    if (item.type === 'prompt')
      return (
        <PromptRow
          item={item}
          initials={initials}
          facts={factsOf(detail, isModelTask(task))}
          isScript={isScript(detail, item.text)}
        />
      );
    // Only the timeline of a model has them, and draws them.
    if (item.type === 'decision') return null;
    if (item.type === 'note') return <NoteRow item={item} />;
    if (item.type === 'handover')
      return <HandoverRow item={item} did={describeDeeds(overlays, item)} msAt={lengthOf(axis, item)} />;
    if (item.type === 'question')
      return item.open ? (
        <OpenQuestion
          key={item.open.asked_at}
          question={item.open}
          isBusy={commands.busy === 'answer' || props.isAct}
          onAnswer={commands.answer}
          onAgree={commands.agree}
          onDecide={(answer) => decide(task?.task_id ?? '', item.open?.asked_at, answer)}
          {...goalsOf(props, items)}
          onTake={props.driver.actions.includes('take') ? () => props.onAct('take') : undefined}
        />
      ) : (
        <AnsweredQuestion item={item} />
      );
    return (
      <StepRow
        item={item}
        taskId={task?.task_id ?? ''}
        isShown={item.stepId !== undefined && item.stepId === shownStep}
        onShow={onShowStep}
      />
    );
  };
  const shared = { items, render, shownStep, onSight };
  if (!isModelTask(task)) return <Timeline {...shared} />;
  return (
    <Suspense fallback={<Timeline {...shared} />}>
      <DecidedTimeline {...shared} decided={props.decided} isAtWork={task?.status === 'running'} />
    </Suspense>
  );
}

/** What the task was asked for, and what a model wants with its next step. */
function goalsOf({ task, decided }: TaskPanelProps, items: readonly TimelineItem[]) {
  const prompt = items.findLast(({ type }) => type === 'prompt');
  const nextGoal = decided?.decisions.at(-1)?.goal ?? task?.agent_history.at(-1)?.next_goal ?? undefined;
  return { goal: prompt?.type === 'prompt' ? prompt.text : (task?.title ?? ''), nextGoal };
}

/** The rows, and what is read when older ones come into sight. */
function useItems({ task, detail, messages, axis, older }: TaskPanelProps) {
  const { attempts, evidence, wantSteps, wantPictures } = older;
  // A model may drop steps that it has planned: its next ones are told by its goal.
  const isModel = isModelTask(task);
  const plan = useMemo(() => (isModel ? [] : describePlan(detail?.plan?.steps)), [detail, isModel]);
  const bands = usePersonBands(axis);
  const items = useMemo(
    () => buildTimeline({ status: task, messages, plan, bands, attempts, evidence }),
    [task, messages, plan, bands, attempts, evidence],
  );
  const firstPicture = task?.recent_evidence[0]?.recorded_at;
  const onSight = useCallback(
    (shown: readonly TimelineItem[]) => {
      const steps = shown.filter((item) => item.type === 'step');
      if (steps.some(({ state }) => state === 'earlier')) wantSteps();
      if (firstPicture && steps.some(({ at, evidence: own }) => at && !own && at < firstPicture)) wantPictures();
    },
    [firstPicture, wantSteps, wantPictures],
  );
  return { items, onSight };
}

/** Written line by line. Steps that were sent with words beside them are read as words. */
const isScript = (detail: TaskDetail | undefined, text: string): boolean =>
  detail?.settings.planner === 'script' && text.includes('\n');

function factsOf(detail: TaskDetail | undefined, isModel: boolean): string {
  if (!detail) return '';
  const { planner, model, allowed_domains } = detail.settings;
  return [
    model ?? (isModel ? 'any model' : planner === 'script' ? 'script' : ''),
    allowed_domains && `only ${allowed_domains.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

type TaskCommand = 'cancel' | 'answer' | 'send' | 'tell' | 'again';

function useTaskCommands({ sessionId, task, onTask }: TaskPanelProps) {
  const [busy, setBusy] = useState<TaskCommand>();
  const [error, setError] = useState<string>();
  const [faults, setFaults] = useState<readonly ScriptFault[]>([]);
  const run = async (command: TaskCommand, call: () => Promise<unknown>): Promise<boolean> => {
    setBusy(command);
    try {
      await call();
      setError(undefined);
      setFaults([]);
      return true;
    } catch (reason) {
      if (command === 'send' || command === 'tell') {
        setError(describeError(reason));
        setFaults(readScriptFaults(reason));
      } else showError(reason);
      return false;
    } finally {
      setBusy(undefined);
    }
  };
  const id = task?.task_id ?? '';
  const asked_at = task?.question?.asked_at;
  return {
    busy,
    error,
    faults,
    cancel: () => void run('cancel', () => client.cancelTask({ id })),
    // Only the question that was shown: the task may ask another by now.
    answer: (answer: string) => void run('answer', () => client.signalTakeover({ id, answer, asked_at })),
    agree: (plan_items: string[]) => void run('answer', () => client.signalTakeover({ id, plan_items, asked_at })),
    runAgain: () => void run('again', async () => onTask((await client.rerunTask({ id })).task_id)),
    tell: (text: string) => run('tell', () => client.sendTaskMessage({ id, text: text.trim() })),
    send: (next: NextTask) =>
      run('send', async () => onTask((await client.sendChat({ ...next, session_id: sessionId })).task_id)),
  };
}
