// The head of the timeline: what the task is, its state, how far it is, and the two clocks.

import { canMove, isTerminal, taskMoves } from '@pilothouse/sdk';
import { Check, Clock, type LucideIcon, ShipWheel, Sparkle, Square, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { TimeText } from '../common/time-text.tsx';
import { useTime } from '../common/use-time.ts';
import { describeClock } from '../live/describe-time.ts';
import type { DriverKind } from '../live/driver-state.ts';
import { Button } from '../ui/button.tsx';
import { Chip, type ChipTone } from '../ui/chip.tsx';
import type { GrowingAxis } from './axis-model.ts';
import { describeDollars, describeTokens } from './describe-cost.ts';
import type { TaskView } from './timeline-model.ts';

type TaskHeadProps = {
  task: TaskView;
  /** Newer than that of the task, while a model decides. */
  cost: TaskView['cost'];
  driver: DriverKind;
  axis: GrowingAxis;
  limitSecs: number | undefined;
  isCancelling: boolean;
  onCancel: () => void;
};

export function TaskHead({ task, cost, driver, axis, limitSecs, isCancelling, onCancel }: TaskHeadProps) {
  const isOver = isTerminal(task.status);
  const agentTime = <TimeText read={(now) => describeClock(axis.at(now).agentMs)} />;
  const hasPerson = useTime((now) => axis.at(now).personMs > 0);
  const { total_steps: total, current_step: current } = task;
  const tokens = cost.input_tokens + cost.output_tokens;
  const dollars = cost.cost_micros ? describeDollars(cost.cost_micros) : '';
  return (
    <div data-testid="task-head" className="border-b border-line px-4 pt-3.5 pb-3 narrow:py-1.5">
      <h2 className="line-clamp-2 text-14 leading-5 font-semibold narrow:sr-only" dir="auto">
        {task.title}
      </h2>
      <div className="mt-2 flex min-h-7 items-center gap-2 narrow:mt-0">
        <TaskChip status={task.status} driver={driver} />
        <span className="min-w-0 truncate text-ink-3 tabular-nums">
          {isOver ? (
            <>
              {`${task.cost.steps} ${task.cost.steps === 1 ? 'step' : 'steps'} in `}
              {agentTime}
            </>
          ) : (
            stepOf(current, total)
          )}
          {dollars && <span className="hidden narrow:inline">{` · ${dollars}`}</span>}
        </span>
        <span className="flex-1" />
        {canMove(task.status, taskMoves.cancel) && (
          <Button look="quiet" size="sm" icon={Square} isBusy={isCancelling} onClick={onCancel} className="-mr-2">
            {isCancelling ? 'Cancelling' : 'Cancel'}
          </Button>
        )}
      </div>
      {!isOver && total !== null && total > 0 && (
        <div className="mt-2 h-1 narrow:mt-1 overflow-hidden rounded-full bg-sunken">
          <div
            className="h-full rounded-full bg-agent transition-[width]"
            style={{ width: `${shareOf(task) * 100}%` }}
          />
        </div>
      )}
      <div className="mt-2.5 flex flex-wrap narrow:hidden gap-x-3.5 gap-y-1 text-12 text-ink-3 tabular-nums">
        <Fact icon={Clock} title="Counts against the limit">
          Agent <b className="font-medium text-ink-2">{agentTime}</b>
          {limitSecs !== undefined && ` of ${describeClock(limitSecs * 1000)}`}
          {(task.status === 'takeover' || task.status === 'awaiting_user') && ' · stands'}
        </Fact>
        {hasPerson && (
          <Fact icon={ShipWheel} title="Never counts against the limit">
            You{' '}
            <b className="font-medium text-ink-2">
              <TimeText read={(now) => describeClock(axis.at(now).personMs)} />
            </b>
          </Fact>
        )}
        {tokens > 0 && (
          <Fact icon={Sparkle} title={describeUse(cost)}>
            <b className="font-medium text-ink-2">{describeTokens(tokens)}</b> tokens
            {dollars && (
              <>
                {' · '}
                <b className="font-medium text-ink-2">{dollars}</b>
              </>
            )}
          </Fact>
        )}
      </div>
    </div>
  );
}

function describeUse({ model_calls, input_tokens, cached_tokens, output_tokens }: TaskView['cost']): string {
  const cached = cached_tokens ? `, ${describeTokens(cached_tokens)} of them from the cache` : '';
  const calls = `${model_calls} ${model_calls === 1 ? 'call' : 'calls'} of the model`;
  return `${calls}: ${describeTokens(input_tokens)} tokens read${cached}, ${describeTokens(output_tokens)} written`;
}

function Fact({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <span title={title} className="inline-flex items-center gap-1 whitespace-nowrap">
      <Icon size={14} strokeWidth={1.75} aria-hidden />
      <span>{children}</span>
    </span>
  );
}

const chips: Record<TaskView['status'], { tone: ChipTone; text: string; icon?: LucideIcon }> = {
  pending: { tone: 'plain', text: 'Waits its turn' },
  running: { tone: 'agent', text: 'Working' },
  awaiting_user: { tone: 'person', text: 'Asks you' },
  takeover: { tone: 'person', text: 'Waits for the wheel' },
  success: { tone: 'good', text: 'Done', icon: Check },
  failed: { tone: 'bad', text: 'Failed', icon: X },
  cancelled: { tone: 'line', text: 'Cancelled', icon: Square },
};

const driving: DriverKind[] = ['you', 'cut_off', 'browser_lost', 'another_tab', 'lease_short'];

export function TaskChip({ status, driver }: { status: TaskView['status']; driver: DriverKind }) {
  const isYou = status === 'takeover' && driving.includes(driver);
  const isOther = status === 'takeover' && driver === 'other';
  const { tone, text, icon } = isYou
    ? { tone: 'driving' as const, text: 'You drive', icon: undefined }
    : isOther
      ? { tone: 'other' as const, text: 'Another drives', icon: undefined }
      : driver === 'asks_yes'
        ? { ...chips.awaiting_user, text: 'Asks for your yes' }
        : chips[status];
  return (
    <span data-testid="task-status" data-status={status} className="inline-flex">
      <Chip tone={tone} icon={icon}>
        {text}
      </Chip>
    </span>
  );
}

const stepOf = (current: number, total: number | null): string =>
  current === 0 ? '' : total ? `Step ${current} of ${total}` : `Step ${current}`;

const shareOf = ({ current_step, total_steps }: TaskView): number =>
  total_steps ? Math.min(1, Math.max(0.02, (current_step - 0.5) / total_steps)) : 0;
