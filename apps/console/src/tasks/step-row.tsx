// One row of the timeline: a prompt, a step, a note, or the time in which a person drove.

import { Check, ChevronDown, RefreshCw, ShipWheel, StickyNote, X } from 'lucide-react';
import { memo, type ReactNode, useRef, useState } from 'react';
import { VerdictLine } from '../approval/verdict-line.tsx';
import { TimeText } from '../common/time-text.tsx';
import { describeClock, describeSpan, describeTimeOfDay } from '../live/describe-time.ts';
import { cx } from '../ui/class-names.ts';
import { LongText } from '../ui/long-text.tsx';
import type { Attempt } from './attempts.ts';
import { useIsScrolling } from './scrolling.ts';
import type { StepItem, TimelineItem } from './timeline-model.ts';
import { usePicture } from './use-picture.ts';

const nodes = {
  done: 'bg-good-soft text-good-ink',
  failed: 'bg-bad-soft text-bad-ink',
  interrupted: 'inset-ring-2 inset-ring-line-2 text-ink-3',
  running: 'bg-agent text-on-agent',
  coming: 'inset-ring-1 inset-ring-line-2 text-ink-3',
  not_run: 'inset-ring-1 inset-ring-line-2 text-ink-3',
  earlier: 'bg-sunken text-ink-3',
} as const;

export function Node({ className, children }: { className: string; children: ReactNode }) {
  return (
    <span
      className={cx(
        'grid size-6 shrink-0 place-items-center rounded-full text-11 leading-none font-semibold tabular-nums',
        className,
      )}
    >
      {children}
    </span>
  );
}

type StepRowProps = { item: StepItem; taskId: string; isShown: boolean; onShow: (item: StepItem) => void };

const notDone: StepItem['state'][] = ['coming', 'not_run', 'earlier'];

export const StepRow = memo(function StepRow({ item, taskId, isShown, onShow }: StepRowProps) {
  const { state, title, tries, failures, ranMs, message, thinking, nextGoal, verdict, evidence } = item;
  const [isOpen, setOpen] = useState(false);
  const isNow = state === 'running';
  const isDetailed = isNow || thinking !== null || state === 'failed' || state === 'interrupted';
  return (
    <div
      data-testid="step"
      data-state={state}
      aria-current={isShown ? 'step' : undefined}
      className={cx(
        'relative -mx-2 grid grid-cols-[24px_minmax(0,1fr)_auto] gap-x-2.5 rounded-3 px-2',
        isNow ? 'my-1 bg-agent-soft py-2' : 'min-h-10 items-center py-1',
        isShown && !isNow && 'bg-hover',
        !isNow && state !== 'coming' && state !== 'not_run' && 'step-line',
      )}
    >
      <StepNode item={item} />
      <button
        type="button"
        disabled={item.at === undefined}
        onClick={() => onShow(item)}
        title={title}
        dir="auto"
        className={cx(
          'min-w-0 truncate text-left leading-6',
          isNow ? 'font-semibold' : notDone.includes(state) ? 'text-ink-3' : 'font-medium',
        )}
      >
        {title}
      </button>
      <span className="flex min-h-6 items-center gap-2.5 text-12 text-ink-3 tabular-nums">
        {tries > 1 && <Tries item={item} isOpen={isOpen} onOpen={() => setOpen(!isOpen)} />}
        {state === 'not_run' ? 'not run' : ranMs !== undefined && describeSpan(ranMs)}
        {evidence && (
          <Thumb
            taskId={taskId}
            observationId={evidence.observation_id}
            label={evidence.label}
            onClick={() => onShow(item)}
          />
        )}
      </span>
      {verdict && <VerdictLine verdict={verdict} className="col-span-2 col-start-2 pb-1" />}
      {isOpen && failures.length > 0 && <Failures failures={failures} />}
      {isDetailed && (message || thinking) && (
        <div className="col-span-2 col-start-2 min-w-0 pb-1 text-12 text-ink-3">
          {message && <LongText text={message} className={state === 'failed' ? 'text-bad-ink' : undefined} />}
          {thinking && <LongText text={thinking} className="mt-0.5 text-13 text-ink-2" />}
          {nextGoal && (
            <p className="mt-1 text-13 text-ink-2" dir="auto">
              <span className="text-ink-3">Next</span> {nextGoal}
            </p>
          )}
        </div>
      )}
    </div>
  );
});

function StepNode({ item: { state, index } }: { item: StepItem }) {
  return (
    <Node className={nodes[state]}>
      {state === 'done' ? (
        <Check size={14} strokeWidth={2} aria-label="done" />
      ) : state === 'failed' ? (
        <X size={14} strokeWidth={2} aria-label="failed" />
      ) : state === 'interrupted' ? (
        <RefreshCw size={14} strokeWidth={1.75} aria-label="interrupted" />
      ) : (
        index
      )}
    </Node>
  );
}

type TriesProps = { item: StepItem; isOpen: boolean; onOpen: () => void };

/** How often it was tried; opens what failed before. */
function Tries({ item: { tries, failures }, isOpen, onOpen }: TriesProps) {
  const look =
    'inline-flex h-[22px] items-center gap-1 rounded-full px-2 font-medium text-ink-2 inset-ring-1 inset-ring-line-2';
  if (failures.length === 0) return <span className={look}>{`${tries} tries`}</span>;
  return (
    <button type="button" aria-expanded={isOpen} onClick={onOpen} className={cx(look, 'hover:bg-hover')}>
      {`${tries} tries`}
      <ChevronDown
        size={12}
        strokeWidth={2}
        aria-hidden
        className={cx('transition-transform', isOpen && 'rotate-180')}
      />
    </button>
  );
}

function Failures({ failures }: { failures: readonly Attempt[] }) {
  return (
    <ul className="col-span-2 col-start-2 mb-1 grid gap-1 border-l border-line-2 pl-2.5 text-12" data-testid="failures">
      {failures.map(({ number, message, ranMs, to }) => (
        <li key={number} className="flex gap-2">
          <X size={14} strokeWidth={2} aria-hidden className="mt-px shrink-0 text-bad-ink" />
          <span className="min-w-0 flex-1 text-bad-ink">
            <LongText text={message ?? 'It failed, and no reason is known.'} />
          </span>
          <span className="shrink-0 text-ink-3 tabular-nums">{`${describeTimeOfDay(to, true)} · ${describeSpan(ranMs)}`}</span>
        </li>
      ))}
    </ul>
  );
}

type ThumbProps = { taskId: string; observationId: string; label: string; onClick: () => void };

function Thumb({ taskId, observationId, label, onClick }: ThumbProps) {
  const isScrolling = useIsScrolling();
  // What is shown already stays in use while the list scrolls.
  const wanted = useRef<string>(undefined);
  if (!isScrolling) wanted.current = observationId;
  const url = usePicture(taskId, wanted.current);
  return (
    <button
      type="button"
      aria-label={`Look back to ${label}`}
      onClick={onClick}
      className="block h-8 w-14 shrink-0 overflow-hidden rounded-1 bg-sunken ring-1 ring-line"
    >
      {url && <img src={url} alt="" decoding="async" className="size-full object-cover object-top" />}
    </button>
  );
}

export function PromptRow({
  item,
  initials,
  facts,
  isScript,
}: {
  item: Extract<TimelineItem, { type: 'prompt' }>;
  initials: string;
  facts: string;
  isScript: boolean;
}) {
  return (
    <div className="grid grid-cols-[24px_minmax(0,1fr)] gap-2.5 pb-3">
      <Node className="bg-person text-on-person">{initials}</Node>
      <div className="min-w-0">
        <LongText text={item.text} lines={4} className={isScript ? 'font-mono text-12 leading-5' : 'text-14'} />
        <p className="mt-0.5 text-12 text-ink-3">{[describeTimeOfDay(item.at), facts].filter(Boolean).join(' · ')}</p>
      </div>
    </div>
  );
}

type HandoverRowProps = {
  item: Extract<TimelineItem, { type: 'handover' }>;
  did: string;
  /** How long it took, or takes. */
  msAt: (now: number) => number;
};

export function HandoverRow({ item, did, msAt }: HandoverRowProps) {
  const who = item.isMine ? 'You' : 'Another person';
  return (
    <div
      data-testid="handover"
      className={cx(
        '-mx-2 my-1 grid grid-cols-[24px_minmax(0,1fr)_auto] gap-x-2.5 rounded-3 p-2',
        item.isMine ? 'bg-person-soft' : 'bg-other-soft',
      )}
    >
      <Node className={item.isMine ? 'bg-person text-on-person' : 'bg-other text-surface'}>
        <ShipWheel size={14} strokeWidth={1.75} aria-hidden />
      </Node>
      <b className="leading-6 font-semibold">{`${who} ${item.isNow ? (item.isMine ? 'drive' : 'drives') : 'drove'}`}</b>
      <span className="text-12 leading-6 text-ink-3 tabular-nums">
        <TimeText read={(now) => describeClock(msAt(now))} />
      </span>
      {did && <p className="col-span-2 col-start-2 text-12 text-ink-2">{did}</p>}
    </div>
  );
}

export function NoteRow({ item }: { item: Extract<TimelineItem, { type: 'note' }> }) {
  return (
    <div
      data-testid="note"
      className="-mx-2 my-1 grid grid-cols-[24px_minmax(0,1fr)_auto] gap-x-2.5 rounded-3 bg-person-soft p-2"
    >
      <Node className="text-person-ink inset-ring-2 inset-ring-person-edge">
        <StickyNote size={14} strokeWidth={1.75} aria-hidden />
      </Node>
      <div className="min-w-0">
        <LongText text={item.text} className="text-13 leading-6" />
      </div>
      <span className="text-12 leading-6 text-ink-3 tabular-nums">{describeTimeOfDay(item.at)}</span>
    </div>
  );
}
