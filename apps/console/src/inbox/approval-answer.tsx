// One wait for a yes: the act with its card, and the picture that it is bound to.

import type { InboxItem } from '@pilothouse/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { inboxQuery } from '../api/inbox.ts';
import ApprovalCard from '../approval/approval-card.tsx';
import { useDecide } from '../sessions/use-decide.ts';
import { showToast } from '../ui/toasts.ts';

type ApprovalAnswerProps = { item: InboxItem; question: NonNullable<InboxItem['question']> };

export default function ApprovalAnswer({ item, question }: ApprovalAnswerProps) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const decide = useDecide();
  const { approval, asked_at, choices, takes_words } = question;
  if (!approval) return null;
  const answer = async (given: string): Promise<boolean> => {
    const isTaken = await decide(item.task_id, asked_at, given);
    void cache.invalidateQueries(inboxQuery);
    if (isTaken) {
      showToast(given === 'once' || given === 'kind' ? 'Your yes was sent.' : 'Your no was sent.', 'good');
      void navigate({ to: '/inbox' });
    }
    return isTaken;
  };
  return (
    <ApprovalCard
      key={approval.id}
      approval={approval}
      askedAt={asked_at}
      goal={item.title}
      choices={choices?.map(({ value }) => value) ?? []}
      takesWords={takes_words === true}
      onAnswer={answer}
    />
  );
}
