// One wait: the picture, the question, and the ways to answer it.

import type { InboxItem } from '@pilothouse/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ShipWheel } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { inboxQuery } from '../api/inbox.ts';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import { formatMoment } from '../common/format.ts';
import { isMac } from '../common/shortcuts.ts';
import { TaskPicture } from '../sessions/task-picture.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Kbd } from '../ui/kbd.tsx';
import { LongText } from '../ui/long-text.tsx';
import { answerWords, describeWait, type Wait } from './wait.ts';

const ApprovalAnswer = lazy(() => import('./approval-answer.tsx'));
const PlanCard = lazy(() => import('../tasks/plan-card.tsx'));

/** A longer question is read as text, and is no heading in looks. */
const longTitle = 160;

export function Answer({ item }: { item: InboxItem }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const wait = describeWait(item);
  const { kind } = wait;
  const isApproval = kind === 'approval';
  // The card of an approval says what it asks.
  const title = isApproval ? item.title : wait.title;
  const { task_id: id, session_id, question } = item;
  const session = { to: '/sessions/$id', params: { id: session_id }, search: { task: id } } as const;
  const answer = useMutation({
    // Named by its time: if the task asks another question by now, this is no answer to that.
    mutationFn: (given: { answer: string } | { plan_items: string[] }) =>
      client.signalTakeover({ id, ...given, asked_at: question?.asked_at }),
    onSuccess: () => navigate({ to: '/inbox' }),
    onSettled: () => cache.invalidateQueries(inboxQuery),
  });
  const take = useMutation({
    mutationFn: () => client.requestTakeover({ id }),
    onSuccess: () => navigate(session),
  });
  const say = (words: string) => answer.mutate({ answer: words });
  const error = answer.error ?? take.error;
  const choices = choicesOf(kind, question);
  return (
    <article className={cx('mx-auto', isApproval ? 'max-w-[560px]' : 'max-w-[820px]')}>
      <div className="mb-4 flex items-start gap-4">
        <h2 className={cx('min-w-0 flex-1', title.length > longTitle ? 'text-14' : 'text-20 font-semibold')}>
          <LongText text={title} lines={4} className="wrap-anywhere" />
        </h2>
        <Link {...session} className={buttonClass()}>
          Open the session
        </Link>
      </div>
      <TaskPicture
        taskId={id}
        className={cx('w-full rounded-3 ring-1 ring-line', isApproval ? 'aspect-[16/7]' : 'aspect-video')}
      />
      {isApproval && question ? (
        <Suspense fallback={<div className="h-80" />}>
          <div className="mt-4">
            <ApprovalAnswer item={item} question={question} />
          </div>
        </Suspense>
      ) : (
        <p className="mt-4 line-clamp-4 text-14 wrap-anywhere text-ink-2" dir="auto">
          In “{item.title}”. The agent waits since {formatMoment(item.waiting_since, Date.now())}.
          {question?.expires_at && ` Without an answer it fails at ${formatMoment(question.expires_at, Date.now())}.`}
        </p>
      )}
      {choices && <Choices choices={choices} isBusy={answer.isPending} onChoose={say} />}
      {kind === 'plan' && question?.plan_items && (
        <Suspense fallback={<div className="h-24" />}>
          <PlanCard
            key={question.asked_at}
            items={question.plan_items}
            isBusy={answer.isPending}
            onStart={(changed) => answer.mutate(changed ? { plan_items: changed } : { answer: 'yes' })}
          />
        </Suspense>
      )}
      {(kind === 'question' || kind === 'plan') && question?.takes_words !== false && (
        <AnswerForm
          words={kind === 'plan' ? 'Say what to change' : 'Your answer'}
          isWheelWanted={question?.kind === 'drive'}
          isAnswering={answer.isPending}
          onAnswer={say}
          isTaking={take.isPending}
          onTake={() => take.mutate()}
        />
      )}
      <p role="alert" className="mt-2 text-bad-ink">
        {error && describeError(error)}
      </p>
    </article>
  );
}

/** Those of a plan and of an approval are on their cards. */
function choicesOf(kind: Wait['kind'], question: InboxItem['question']): ChoicesProps['choices'] | null | undefined {
  if (kind === 'doubt') return question?.options?.map((value) => ({ value, label: answerWords[value] }));
  return kind === 'question' ? question?.choices : null;
}

type ChoicesProps = {
  choices: readonly { value: string; label: string }[];
  isBusy: boolean;
  onChoose: (value: string) => void;
};

function Choices({ choices, isBusy, onChoose }: ChoicesProps) {
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      {choices.map(({ value, label }) => (
        <Button
          key={value}
          isBusy={isBusy}
          onClick={() => onChoose(value)}
          className="h-auto! min-h-8 max-w-full py-1 whitespace-normal!"
        >
          <bdi className="wrap-anywhere">{label}</bdi>
        </Button>
      ))}
    </div>
  );
}

type AnswerFormProps = {
  words: string;
  /** The agent asks for something that is done in the browser. */
  isWheelWanted: boolean;
  isAnswering: boolean;
  onAnswer: (text: string) => void;
  isTaking: boolean;
  onTake: () => void;
};

function AnswerForm({ words, isWheelWanted, isAnswering, onAnswer, isTaking, onTake }: AnswerFormProps) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(text);
      }}
      className="mt-4 rounded-3 border border-control bg-surface p-2 focus-within:border-agent focus-within:ring-3 focus-within:ring-agent-soft"
    >
      <textarea
        aria-label={words}
        placeholder={words}
        aria-keyshortcuts={isMac ? 'Meta+Enter' : 'Control+Enter'}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        required
        maxLength={8000}
        dir="auto"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="block max-h-[40dvh] w-full resize-none bg-transparent p-1 text-14 outline-none field-sizing-content"
      />
      <div className="flex justify-end gap-2">
        <Button look={isWheelWanted ? 'take' : 'quiet'} icon={ShipWheel} isBusy={isTaking} onClick={onTake}>
          {isWheelWanted ? 'Take the wheel' : 'Take the wheel instead'}
        </Button>
        <Button type="submit" look="primary" isBusy={isAnswering} disabled={!text.trim()}>
          Answer
          <Kbd className="border-transparent! bg-transparent! text-current! narrow:hidden">
            {isMac ? '⌘⏎' : 'Ctrl ⏎'}
          </Kbd>
        </Button>
      </div>
    </form>
  );
}
