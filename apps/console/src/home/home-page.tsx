// The first page: say what should be done, see what waits for you, and what is going on.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionsQuery } from '../api/queries.ts';
import { Composer } from '../chat/composer.tsx';
import { TopBar } from '../frame/top-bar.tsx';
import { SessionList } from '../sessions/session-list.tsx';
import type { SessionFilter } from '../sessions/session-state.ts';
import { NeedsYou } from './needs-you.tsx';

export function HomePage() {
  const [filter, setFilter] = useState<SessionFilter>('all');
  const { data, hasNextPage } = useInfiniteQuery(sessionsQuery(undefined));
  const count = data && !hasNextPage ? data.pages.flatMap((page) => page.sessions).length : undefined;
  return (
    <>
      <TopBar title="Home" />
      <main className="min-h-0 flex-1 overflow-y-auto px-10 pb-10 narrow:px-4 narrow:pb-4">
        <div className="mx-auto max-w-[1304px]">
          <h2 className="mt-10 mb-4 text-center text-20 font-semibold narrow:sr-only">What should be done?</h2>
          <Composer />
          <NeedsYou />
          <div className="mt-8">
            <SessionList
              filter={filter}
              onFilter={setFilter}
              heading={
                <h2 className="text-14 font-semibold">
                  Sessions {count !== undefined && <span className="ml-1 font-normal text-ink-3">{count}</span>}
                </h2>
              }
            />
          </div>
        </div>
      </main>
    </>
  );
}
