// A question of the agent: with the way to answer it, or with the answer that it got.

import { ListChecks, type LucideIcon, MessageCircleQuestionMark, ShipWheel, TriangleAlert } from 'lucide-react';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { TimeText } from '../common/time-text.tsx';
import { SayBox, SendButton } from '../compose/say-box.tsx';
import type { Question } from '../live/api-types.ts';
import { describeClock, describeTimeOfDay } from '../live/describe-time.ts';
import { Button } from '../ui/button.tsx';
import { LongText } from '../ui/long-text.tsx';
import { Node } from './step-row.tsx';
import type { TimelineItem } from './timeline-model.ts';

const ApprovalCard = lazy(() => import('../approval/approval-card.tsx'));
const PlanCard = lazy(() => import('./plan-card.tsx'));

type QuestionItem = Extract<TimelineItem, { type: 'question' }>;

export function AnsweredQuestion({ item }: { item: QuestionItem }) {
  return (
    <div
      data-testid="question"
      className="step-line relative grid grid-cols-[24px_minmax(0,1fr)_auto] gap-x-2.5 py-1.5"
    >
      <Node className="text-person-ink inset-ring-2 inset-ring-person-edge">
        <MessageCircleQuestionMark size={14} strokeWidth={1.75} aria-hidden />
      </Node>
      <div className="min-w-0">
        <LongText text={item.text} className="leading-6 font-medium" />
        {item.answer ? (
          <p className="text-ink-2" dir="auto">
            <span className="text-12 text-ink-3">You answered </span>
            {item.answer.text}
          </p>
        ) : (
          <p className="text-12 text-ink-3">Ended without an answer</p>
        )}
      </div>
      <span className="text-12 leading-6 text-ink-3 tabular-nums">{describeTimeOfDay(item.at)}</span>
    </div>
  );
}

type OpenQuestionProps = {
  question: Question;
  isBusy: boolean;
  onAnswer: (text: string) => void;
  /** A yes to a plan that the person has changed. */
  onAgree: (items: string[]) => void;
  /** Sends the answer to an act; false where it was not taken. */
  onDecide: (answer: string) => Promise<boolean>;
  /** What the task is for, and what a model wants now. */
  goal: string;
  nextGoal?: string;
  /** Takes the wheel; absent where that cannot be done now. */
  onTake?: () => void;
};

const optionWords = { done: 'It was done, go on', repeat: 'Do it again', stop: 'Stop here' } as const;
const kindWords: Record<NonNullable<Question['kind']>, string> = {
  question: 'The agent asks',
  choice: 'The agent asks you to choose',
  yes_no: 'The agent asks for a yes or a no',
  plan: 'The agent proposes a plan',
  drive: 'The agent asks you to do something in the browser',
  doubt: 'It may or may not have been done',
  approval: 'The agent asks for a yes',
};

const icons: Partial<Record<NonNullable<Question['kind']>, LucideIcon>> = {
  doubt: TriangleAlert,
  drive: ShipWheel,
  plan: ListChecks,
};

/** Questions of an earlier release have options without words. */
const choicesOf = ({ choices, options }: Question) =>
  choices ?? options?.map((value) => ({ value, label: optionWords[value] })) ?? null;

export function OpenQuestion(props: OpenQuestionProps) {
  const { question, goal, nextGoal, onDecide } = props;
  if (!question.approval) return <PlainQuestion {...props} />;
  return (
    <Suspense fallback={<div className="h-80" />}>
      <ApprovalCard
        key={question.approval.id}
        approval={question.approval}
        askedAt={question.asked_at}
        goal={goal}
        nextGoal={nextGoal}
        choices={question.choices?.map(({ value }) => value) ?? []}
        takesWords={question.takes_words === true}
        onAnswer={onDecide}
        className="-mx-1 my-2"
      />
    </Suspense>
  );
}

function PlainQuestion({ question, isBusy, onAnswer, onAgree, onTake }: OpenQuestionProps) {
  const kind = question.kind ?? (question.options === null ? 'question' : 'doubt');
  const choices = choicesOf(question);
  const takesWords = question.takes_words ?? choices === null;
  const Icon = icons[kind] ?? MessageCircleQuestionMark;
  const endsAt = question.expires_at ? Date.parse(question.expires_at) : undefined;
  return (
    <article
      data-testid="open-question"
      data-kind={kind}
      className="my-2 rounded-3 bg-surface p-3.5 ring-1 ring-person-edge"
    >
      <div className="mb-2 flex items-center gap-2 font-semibold text-person-ink">
        <Icon size={16} strokeWidth={1.75} aria-hidden />
        {kindWords[kind]}
        <span className="flex-1" />
        {endsAt !== undefined && (
          <span className="text-12 font-medium tabular-nums">
            <TimeText read={(now) => `${describeClock(endsAt - now)} left`} />
          </span>
        )}
      </div>
      {question.plan_items ? (
        <Suspense fallback={<div className="h-24" />}>
          <PlanCard
            items={question.plan_items}
            isBusy={isBusy}
            onStart={(changed) => (changed ? onAgree(changed) : onAnswer('yes'))}
          />
        </Suspense>
      ) : (
        <LongText text={question.text} lines={4} className="text-14" />
      )}
      {question.until && (
        <p className="mt-1 text-12 text-ink-3">Ends by itself when the page shows what it waits for.</p>
      )}
      {choices && !question.plan_items && (
        <div className="mt-3 flex flex-wrap gap-2">
          {choices.map(({ value, label }) => (
            <Button
              key={value}
              look={value === 'stop' ? 'quiet' : 'plain'}
              isBusy={isBusy}
              onClick={() => onAnswer(value)}
              className="h-auto! min-h-8 max-w-full py-1 whitespace-normal!"
            >
              <bdi className="wrap-anywhere">{label}</bdi>
            </Button>
          ))}
        </div>
      )}
      {kind === 'drive' && onTake && (
        <Button look="take" icon={ShipWheel} isBusy={isBusy} onClick={onTake} className="mt-3 narrow:h-11">
          Take the wheel
        </Button>
      )}
      {takesWords && <AnswerField isBusy={isBusy} onAnswer={onAnswer} words={wordsFor(kind, choices !== null)} />}
    </article>
  );
}

const wordsFor = (kind: string, hasChoices: boolean): string =>
  kind === 'plan' ? 'Say what to change' : hasChoices ? 'Or say something else' : 'Your answer';

type AnswerFieldProps = Pick<OpenQuestionProps, 'isBusy' | 'onAnswer'> & { words: string };

function AnswerField({ isBusy, onAnswer, words }: AnswerFieldProps) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() && !isBusy) onAnswer(text.trim());
  };
  return (
    <form onSubmit={submit} className="mt-2.5">
      <SayBox size="sm" className="flex items-center gap-2 py-1 pr-1 pl-3">
        <input
          id="answer"
          aria-label={words}
          value={text}
          onChange={(event) => setText(event.target.value)}
          maxLength={8000}
          dir="auto"
          autoComplete="off"
          placeholder={words}
          className="min-w-0 flex-1 bg-transparent outline-none"
        />
        <SendButton label="Send the answer" isReady={!isBusy && text.trim() !== ''} />
      </SayBox>
    </form>
  );
}
