// The card that asks for a yes to one act. Loaded with the first such question. Enter never means yes; names, values, amounts and
// addresses are text of the page, and only ever text nodes.

import { CheckCheck, Lock, RefreshCw, ShieldCheck, StickyNote } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';
import { singleKeys } from '../common/shortcuts.ts';
import { TimeText } from '../common/time-text.tsx';
import { useTime } from '../common/use-time.ts';
import type { Approval } from '../live/api-types.ts';
import { describeClock, describeTimeOfDay } from '../live/describe-time.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Input } from '../ui/field.tsx';
import { DrawnKbd } from '../ui/kbd.tsx';
import { LongText } from '../ui/long-text.tsx';
import { describeAmounts, describeBinding, describeFacts, describeNo, describeYes } from './approval-words.ts';
import { describeAct } from './describe-act.ts';
import { useArmed } from './use-armed.ts';

type ApprovalCardProps = {
  approval: Approval;
  askedAt: string;
  /** What the person wants, in their words, and what the agent makes of it now. */
  goal: string;
  nextGoal?: string;
  /** Which of the answers are offered: `once`, `kind`, `no`. */
  choices: readonly string[];
  /** Whether the no can have words. */
  takesWords: boolean;
  /** Sends the answer; false where it was not taken. */
  onAnswer: (answer: string) => Promise<boolean>;
  className?: string;
};

const sentWords: Record<string, string> = {
  once: 'Your yes was sent. The agent looks at the page again, and goes on if nothing has changed.',
  kind: 'Your yes was sent. Acts of this kind on this site need no other in this task.',
};
const noWords = 'Your no was sent. The agent does not do it.';

/** Sends one answer, and none beside it until that was refused. */
function useAnswer(onAnswer: ApprovalCardProps['onAnswer']) {
  const [sent, setSent] = useState<string>();
  const answer = async (given: string) => {
    if (sent !== undefined) return;
    setSent(given);
    if (!(await onAnswer(given))) setSent(undefined);
  };
  return { sent, answer: (given: string) => void answer(given) };
}

export default function ApprovalCard(props: ApprovalCardProps) {
  const { approval, askedAt, choices, takesWords, className } = props;
  const { sent, answer } = useAnswer(props.onAnswer);
  const act = useRef<HTMLHeadingElement>(null);
  const yesButton = useRef<HTMLButtonElement>(null);
  const id = useId();
  const endsAt = approval.expires_at ? Date.parse(approval.expires_at) : Number.POSITIVE_INFINITY;
  const isLapsed = useTime((now) => endsAt <= now);
  const isArmed = useArmed(act, yesButton, sent === undefined && !isLapsed);
  const yes = (given: string) => isArmed && answer(given);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOwnKey(event) || sent !== undefined) return;
    if (event.key.toLowerCase() === 'y') yes('once');
    else if (event.key.toLowerCase() === 'n') answer('no');
    else return;
    event.preventDefault();
  };
  return (
    <article
      id="answer"
      tabIndex={-1}
      data-testid="approval"
      data-state={sent ? 'sent' : isLapsed ? 'lapsed' : isArmed ? 'armed' : 'seen'}
      aria-labelledby={`${id}-head`}
      aria-describedby={`${id}-act`}
      onKeyDown={onKeyDown}
      className={cx('overflow-hidden rounded-3 bg-surface ring-2 ring-person-edge', className)}
    >
      <div className="flex items-center gap-2.5 bg-person-soft px-3.5 py-2.5 font-semibold text-person-ink">
        <ShieldCheck size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
        <span id={`${id}-head`} className="flex-1">
          Your yes is needed
        </span>
        {approval.expires_at && (
          <span className="font-medium tabular-nums">
            {isLapsed ? 'Time is over' : <TimeText read={(now) => `${describeClock(endsAt - now)} left`} />}
          </span>
        )}
      </div>
      <h3 ref={act} id={`${id}-act`} className="px-3.5 pt-3 pb-2.5 text-16 font-semibold wrap-anywhere">
        <LongText text={describeAct(approval.action)} />
      </h3>
      <Facts {...props} />
      <p className="mx-3.5 mb-3 flex gap-2 text-12 text-ink-3">
        <Lock size={14} strokeWidth={1.75} aria-hidden className="mt-px shrink-0" />
        {describeBinding(approval, describeTimeOfDay(askedAt, true))}
      </p>
      <div className="border-t border-line px-3.5 py-3">
        {sent === undefined ? (
          <Answers
            yesButton={yesButton}
            action={approval.action}
            hasKind={choices.includes('kind')}
            takesWords={takesWords}
            isArmed={isArmed}
            isLapsed={isLapsed}
            onYes={yes}
            onNo={answer}
          />
        ) : (
          <p className="flex min-h-9 items-center text-14">{sentWords[sent] ?? noWords}</p>
        )}
      </div>
      <p role="status" className="sr-only">
        {sent !== undefined && (sentWords[sent] ?? noWords)}
      </p>
    </article>
  );
}

/** Single keys are heard outside fields, and can be switched off. */
function isOwnKey({ target, nativeEvent, ...event }: KeyboardEvent): boolean {
  if (singleKeys.read() === 'off' || event.repeat || nativeEvent.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !(target instanceof HTMLInputElement);
}

function Facts({ approval, goal, nextGoal }: ApprovalCardProps) {
  const amounts = describeAmounts(approval.amounts);
  const facts = [
    ...describeFacts(approval),
    { term: 'Why asked', text: approval.why },
    ...(goal ? [{ term: 'Goal', text: `“${goal}”` }] : []),
    ...(nextGoal ? [{ term: 'Goal now', text: `“${nextGoal}”` }] : []),
  ];
  return (
    <>
      {approval.void_reason !== null && (
        <div data-testid="void" className="mx-3.5 mb-3 flex gap-2 rounded-1 bg-bg px-3 py-2 text-12 text-ink-2">
          <RefreshCw size={14} strokeWidth={1.75} aria-hidden className="mt-px shrink-0" />
          <div className="min-w-0 wrap-anywhere">
            <b className="font-semibold text-ink">An earlier yes was void.</b>
            <LongText text={approval.void_reason} className="mt-0.5" />
          </div>
        </div>
      )}
      <dl className="grid grid-cols-[84px_minmax(0,1fr)] gap-x-3 gap-y-1.5 px-3.5 pb-3">
        {facts.map(({ term, text }) => (
          <div key={term} className="contents">
            <dt className="text-ink-3">{term}</dt>
            <dd className="min-w-0 wrap-anywhere">
              <LongText text={text} lines={term === 'Goal' ? 4 : 2} />
              {term === 'Secret' && (
                <span className="block text-12 text-ink-3">Its value is not shown to anybody.</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {amounts && (
        <div className="mx-3.5 mb-3 rounded-r-1 border-l-2 border-line-2 bg-bg px-3 py-2 text-12 leading-[18px] text-ink-2">
          <span className="block text-ink-3">From the page, not checked</span>
          <div className="wrap-anywhere">
            <LongText text={amounts} lines={4} />
          </div>
        </div>
      )}
    </>
  );
}

type AnswersProps = {
  yesButton: RefObject<HTMLButtonElement | null>;
  action: string;
  hasKind: boolean;
  takesWords: boolean;
  isArmed: boolean;
  isLapsed: boolean;
  onYes: (answer: 'once' | 'kind') => void;
  onNo: (answer: string) => void;
};

/** Enter on the button would press it. */
const ignoreEnter = (event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault();

function Answers({ yesButton, action, hasKind, takesWords, isArmed, isLapsed, onYes, onNo }: AnswersProps) {
  const id = useId();
  const [hasWords, setHasWords] = useState(false);
  const hint = isLapsed
    ? 'Its time is over, which counts as no.'
    : isArmed
      ? 'Enter never means yes. Press Y, or Space on the button.'
      : 'Read it first: yes can be pressed after all of the card was in sight.';
  const yes = (answer: 'once' | 'kind') => ({
    isBusy: !isArmed,
    onClick: () => onYes(answer),
    onKeyDown: ignoreEnter,
    'aria-describedby': `${id}-hint`,
  });
  const wordy = 'h-auto! min-h-8 justify-start! py-1 text-left whitespace-normal! narrow:min-h-11';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
      <Button
        ref={yesButton}
        look="person"
        size="lg"
        aria-keyshortcuts="Y"
        {...yes('once')}
        className="h-auto! min-h-9 min-w-0 py-1 whitespace-normal! narrow:min-h-11"
      >
        <bdi className="line-clamp-2 wrap-anywhere">{describeYes(action)}</bdi>
        <DrawnKbd
          keys="Y"
          className="-mr-1 shrink-0 border-transparent! bg-on-person/15! text-current! narrow:hidden"
        />
      </Button>
      <Button
        size="lg"
        aria-keyshortcuts="N"
        isBusy={isLapsed}
        onClick={() => onNo('no')}
        className="h-auto! min-h-9 narrow:min-h-11 narrow:px-5"
      >
        No
        <DrawnKbd keys="N" className="-mr-1 narrow:hidden" />
      </Button>
      <p id={`${id}-hint`} className={cx('col-span-2 text-12 text-ink-3', isArmed && 'narrow:invisible')}>
        {hint}
      </p>
      <div className="col-span-2 -mx-2 grid justify-items-start">
        {hasKind && (
          <Button
            look="quiet"
            icon={CheckCheck}
            {...yes('kind')}
            className={cx(wordy, 'aria-disabled:bg-transparent!')}
          >
            Yes, and this kind on this site in this task
          </Button>
        )}
        {takesWords && !hasWords && (
          <Button look="quiet" icon={StickyNote} isBusy={isLapsed} onClick={() => setHasWords(true)} className={wordy}>
            No, and tell the agent what to do instead
          </Button>
        )}
      </div>
      {takesWords && hasWords && <WordsField isBusy={isLapsed} onSend={(words) => onNo(describeNo(words))} />}
    </div>
  );
}

function WordsField({ isBusy, onSend }: { isBusy: boolean; onSend: (words: string) => void }) {
  const [words, setWords] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (words.trim() && !isBusy) onSend(words);
  };
  return (
    <form onSubmit={submit} className="col-span-2 flex gap-2">
      <Input
        autoFocus
        aria-label="What to do instead"
        placeholder="What to do instead"
        value={words}
        maxLength={4000}
        dir="auto"
        autoComplete="off"
        onChange={(event) => setWords(event.target.value)}
      />
      <Button type="submit" size="lg" disabled={!words.trim()} isBusy={isBusy} className="narrow:h-11">
        No, do this
      </Button>
    </form>
  );
}
