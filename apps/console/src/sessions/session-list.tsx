// A list of sessions with its filters, read page by page.

import { useInfiniteQuery } from '@tanstack/react-query';
import { LayoutGrid } from 'lucide-react';
import type { ReactNode } from 'react';
import { sessionsQuery } from '../api/queries.ts';
import { ReadError } from '../frame/read-error.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { SessionGrid } from './session-grid.tsx';
import { type SessionFilter, statusOf } from './session-state.ts';

const options: { value: SessionFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'working', label: 'Working' },
  { value: 'needs', label: 'Needs you' },
  { value: 'idle', label: 'Idle' },
  { value: 'closed', label: 'Closed' },
];

type SessionListProps = { filter: SessionFilter; onFilter: (filter: SessionFilter) => void; heading: ReactNode };

export function SessionList({ filter, onFilter, heading }: SessionListProps) {
  const read = useInfiniteQuery(sessionsQuery(statusOf(filter)));
  const all = read.data?.pages.flatMap((page) => page.sessions) ?? [];
  const sessions = filter === 'needs' ? all.filter(({ needs_person }) => needs_person) : all;
  return (
    <section aria-label="Sessions">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        {heading}
        <span className="flex-1" />
        <Segmented
          label="Which sessions"
          value={filter}
          options={options}
          onChange={onFilter}
          className="max-w-full overflow-x-auto"
        />
      </div>
      {read.isPending && <GridSkeleton />}
      {read.isError && !read.data && (
        <ReadError what="The sessions" error={read.error} onRetry={() => void read.refetch()} />
      )}
      {read.data && sessions.length === 0 && <NoSessions filter={filter} />}
      {sessions.length > 0 && <SessionGrid sessions={sessions} />}
      {read.hasNextPage && (
        <div className="mt-5 text-center">
          <Button onClick={() => void read.fetchNextPage()} isBusy={read.isFetchingNextPage}>
            {read.isFetchingNextPage ? 'Reading more' : 'Show more'}
          </Button>
        </div>
      )}
    </section>
  );
}

function NoSessions({ filter }: { filter: SessionFilter }) {
  return filter === 'all' ? (
    <Empty icon={LayoutGrid} title="No sessions yet" text="Write a script and run it. Its browser is shown here." />
  ) : (
    <Empty icon={LayoutGrid} title="None" text="No session is in this state." />
  );
}

function GridSkeleton() {
  return (
    <div aria-hidden className="grid grid-cols-2 gap-4 lg:grid-cols-3 xl:grid-cols-4 narrow:grid-cols-1">
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-60 rounded-3" />
      ))}
    </div>
  );
}
