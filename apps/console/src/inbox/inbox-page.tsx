// What waits for a person: the list, and beside it the answer to one.

import type { InboxItem } from '@pilothouse/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { inboxQuery } from '../api/inbox.ts';
import { formatLength } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { ReadError } from '../frame/read-error.tsx';
import { TopBar } from '../frame/top-bar.tsx';
import { TaskPicture } from '../sessions/task-picture.tsx';
import { Badge } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';
import { Empty } from '../ui/empty.tsx';
import { Answer } from './answer.tsx';
import { describeWait } from './wait.ts';
import { WaitLine } from './wait-line.tsx';

export function InboxPage() {
  const { taskId } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(inboxQuery);
  const now = useNow();
  const items = data?.items ?? [];
  const chosen = items.find(({ task_id }) => task_id === taskId) ?? (taskId ? undefined : items[0]);
  return (
    <>
      <TopBar title="Inbox" beside={items.length > 0 && <Badge count={items.length} label="waiting" />} />
      <main className="flex min-h-0 flex-1 overflow-y-auto">
        {data && items.length === 0 && (
          <Empty icon={Inbox} title="Nothing waits for you" text="Questions of agents come here." className="flex-1" />
        )}
        {!data && error && <ReadError what="The inbox" error={error} onRetry={() => void refetch()} />}
        {items.length > 0 && (
          <ul
            className={cx(
              'w-[420px] shrink-0 overflow-y-auto border-r border-line bg-surface max-lg:w-full',
              taskId && 'max-lg:hidden',
            )}
          >
            {items.map((item) => (
              <Row key={item.task_id} item={item} now={now} isChosen={item === chosen} />
            ))}
          </ul>
        )}
        {chosen && (
          <div className={cx('min-w-0 flex-1 overflow-y-auto px-10 py-6 narrow:px-4', !taskId && 'max-lg:hidden')}>
            <Answer key={chosen.task_id} item={chosen} />
          </div>
        )}
      </main>
    </>
  );
}

function Row({ item, now, isChosen }: { item: InboxItem; now: number; isChosen: boolean }) {
  return (
    <li className={cx('border-b border-line', isChosen && 'bg-person-soft inset-shadow-[3px_0_0_var(--person-edge)]')}>
      <Link to="/inbox/$taskId" params={{ taskId: item.task_id }} className="flex gap-3 p-3 px-4">
        <TaskPicture taskId={item.task_id} className="h-13 w-22 shrink-0 rounded-1" />
        <span className="min-w-0 flex-1">
          <WaitLine item={item} since={formatLength(now - Date.parse(item.waiting_since))} />
          <span className="block truncate font-semibold" dir="auto">
            {describeWait(item).title}
          </span>
          <span className="block truncate text-ink-2" dir="auto">
            {item.title}
          </span>
        </span>
      </Link>
    </li>
  );
}
