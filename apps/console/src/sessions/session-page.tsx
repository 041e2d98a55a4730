// One session: its browser, who drives it, and what its tasks did.

import { getRouteApi } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { isPassing } from '../api/query-client.ts';
import { describeError } from '../api/words.ts';
import { ReadError } from '../frame/read-error.tsx';
import { TopBar } from '../frame/top-bar.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { LoadedSession } from './loaded-session.tsx';
import { useSessionData } from './use-session-data.ts';

const route = getRouteApi('/app/sessions/$id');

export function SessionPage() {
  const { id } = route.useParams();
  return <OneSession key={id} id={id} />;
}

function OneSession({ id }: { id: string }) {
  const search = route.useSearch();
  const data = useSessionData(id, search.task);
  if (data.error && isPassing(data.error))
    return (
      <>
        <TopBar title="Session" />
        <ReadError what="The session" error={data.error} onRetry={data.readAgain} />
      </>
    );
  if (data.error)
    return (
      <>
        <TopBar title="Session" />
        <Empty icon={SearchX} title="There is no such session" text={describeError(data.error)} className="flex-1">
          <a href="/sessions" className={buttonClass('plain', 'sm')}>
            All sessions
          </a>
        </Empty>
      </>
    );
  if (!data.session.view) return <Waiting />;
  return <LoadedSession id={id} data={data} view={data.session.view} />;
}

function Waiting() {
  return (
    <>
      <TopBar title="Session" />
      <div className="flex min-h-0 flex-1 gap-3 p-3">
        <Skeleton className="flex-1 rounded-3" />
        <Skeleton className="w-[392px] rounded-3 narrow:hidden" />
      </div>
    </>
  );
}
