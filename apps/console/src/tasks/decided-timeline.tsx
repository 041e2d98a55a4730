// The timeline of a task whose steps a model decides: its steps by decision. Loaded with the first such task. The words of
// models are shown as text only.

import { ChevronDown, Sparkle, X } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { Decision } from '../live/api-types.ts';
import { describeSpan } from '../live/describe-time.ts';
import { cx } from '../ui/class-names.ts';
import { LongText } from '../ui/long-text.tsx';
import { withDecisions } from './decision-items.ts';
import { DecisionView } from './decision-view.tsx';
import { describeDollars, describeTokens } from './describe-cost.ts';
import type { Decided } from './read-decided.ts';
import { Node } from './step-row.tsx';
import { Timeline } from './timeline.tsx';
import type { DecisionItem, TimelineItem } from './timeline-model.ts';

type DecidedTimelineProps = {
  items: readonly TimelineItem[];
  decided: Decided | undefined;
  isAtWork: boolean;
  render: (item: TimelineItem) => ReactNode;
  shownStep: string | undefined;
  onSight: (items: readonly TimelineItem[]) => void;
};

export default function DecidedTimeline({ items, decided, isAtWork, render, ...rest }: DecidedTimelineProps) {
  const decisions = decided?.decisions;
  const grouped = useMemo(() => withDecisions({ items, decisions, isAtWork }), [items, decisions, isAtWork]);
  return (
    <Timeline
      {...rest}
      items={grouped}
      render={(item) =>
        item.type === 'decision' ? <DecisionRow item={item} taskId={decided?.taskId} /> : render(item)
      }
    />
  );
}

function DecisionRow({ item, taskId }: { item: DecisionItem; taskId: string | undefined }) {
  const { number, goal, evaluation, thinking, refused, cut, call, isNow, isDeciding } = item;
  return (
    <div
      data-testid="decision"
      data-state={isDeciding ? 'deciding' : isNow ? 'now' : 'past'}
      className={cx(
        'relative -mx-2 grid grid-cols-[24px_minmax(0,1fr)_auto] gap-x-2.5 rounded-3 px-2 py-2',
        isNow ? 'my-1 bg-agent-soft' : 'step-line mt-1',
      )}
    >
      <Node className={isNow ? 'bg-agent text-on-agent' : 'bg-agent-soft text-agent-ink'}>
        <Sparkle size={14} strokeWidth={1.75} aria-hidden />
      </Node>
      <h3 className="min-w-0 text-13 leading-6 font-semibold wrap-anywhere">
        <span className="sr-only">{isDeciding ? 'The model: ' : 'Goal: '}</span>
        <LongText text={goal} />
      </h3>
      {call && <CallCost call={call} />}
      <div className="col-span-2 col-start-2 grid min-w-0 gap-0.5 text-12 text-ink-3 wrap-anywhere empty:hidden">
        {evaluation && (
          <div>
            <span className="sr-only">Of the last goal: </span>
            <LongText text={evaluation} />
          </div>
        )}
        {thinking && <Thinking text={thinking} isShown={isNow} />}
        {refused.map((reason, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the actions of a decision never change their places
          <div key={index} className="flex gap-1.5 text-bad-ink">
            <X size={14} strokeWidth={2} aria-label="refused" className="mt-px shrink-0" />
            <div className="min-w-0">
              <LongText text={reason} />
            </div>
          </div>
        ))}
        {cut && (
          <div>
            <LongText text={`Not finished: ${cut}`} />
          </div>
        )}
        {taskId !== undefined && number !== undefined && (
          <Folded label="What it saw">
            <DecisionView taskId={taskId} number={number} />
          </Folded>
        )}
      </div>
    </div>
  );
}

/** Of the present decision its beginning is seen; of earlier ones it is folded away. */
function Thinking({ text, isShown }: { text: string; isShown: boolean }) {
  if (isShown)
    return (
      <div className="text-13 text-ink-2">
        <LongText text={text} />
      </div>
    );
  return (
    <Folded label="Thinking">
      <p className="text-13 whitespace-pre-wrap text-ink-2" dir="auto">
        {text}
      </p>
    </Folded>
  );
}

/** What a person opens to see. It is not made before that. */
function Folded({ label, children }: { label: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="inline-flex min-h-6 items-center gap-1 font-medium text-ink-2 hover:text-ink narrow:min-h-11"
      >
        {label}
        <ChevronDown
          size={12}
          strokeWidth={2}
          aria-hidden
          className={cx('transition-transform', isOpen && 'rotate-180')}
        />
      </button>
      {isOpen && children}
    </div>
  );
}

/** What the call of the model cost, or its tokens where no price is known. */
function CallCost({ call }: { call: Decision['call'] }) {
  const { model, input_tokens, cached_tokens, output_tokens, cost_micros, ms } = call;
  const tokens = describeTokens(input_tokens + output_tokens);
  const words = [
    model.slice(0, 100),
    `${describeTokens(input_tokens)} tokens read, ${describeTokens(cached_tokens)} of them from the cache`,
    `${describeTokens(output_tokens)} written`,
    describeSpan(ms),
  ].join(' · ');
  return (
    <span title={words} className="text-12 leading-6 whitespace-nowrap text-ink-3 tabular-nums">
      {cost_micros > 0 ? describeDollars(cost_micros) : tokens}
    </span>
  );
}
