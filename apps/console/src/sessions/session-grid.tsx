// Sessions as cards, and as rows in a narrow window.

import type { ListedSession } from '@pilothouse/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Clock, Eye } from 'lucide-react';
import { inboxQuery } from '../api/inbox.ts';
import { useUser } from '../api/use-user.ts';
import { formatLength } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { SessionChip } from './session-chip.tsx';
import { SessionPicture } from './session-picture.tsx';
import { describeSession, type SessionView } from './session-state.ts';
import { SessionTitle } from './session-title.tsx';

export function SessionGrid({ sessions }: { sessions: readonly ListedSession[] }) {
  const { data: inbox } = useQuery(inboxQuery);
  const user = useUser();
  const now = useNow();
  return (
    <ul className="grid grid-cols-2 gap-4 lg:grid-cols-3 xl:grid-cols-4 narrow:grid-cols-1 narrow:gap-0">
      {sessions.map((session) => {
        const waiting = inbox?.items.find(({ session_id }) => session_id === session.id);
        const view = describeSession({ session, waiting, userId: user?.id });
        return <SessionCard key={session.id} session={session} view={view} now={now} />;
      })}
    </ul>
  );
}

type SessionCardProps = { session: ListedSession; view: SessionView; now: number };

function SessionCard({ session, view, now }: SessionCardProps) {
  const title = session.title ?? session.last_task?.title ?? 'Untitled session';
  const since = now - Date.parse(session.last_event_at ?? session.created_at);
  return (
    <li className="relative overflow-hidden rounded-3 bg-surface ring-1 ring-line transition-shadow focus-within:ring-agent hover:ring-line-2 narrow:flex narrow:gap-3 narrow:rounded-none narrow:border-t narrow:border-line narrow:bg-transparent narrow:py-2.5 narrow:ring-0">
      <SessionPicture
        session={session}
        isHidden={view.tone === 'other'}
        className="aspect-[316/150] w-full border-b border-line narrow:aspect-auto narrow:h-16 narrow:w-28 narrow:shrink-0 narrow:rounded-2 narrow:border"
      />
      <div className="min-w-0 flex-1 p-3 narrow:p-0 narrow:pt-1">
        <SessionTitle id={session.id} title={session.title} className="flex min-h-7 items-center gap-1">
          <h3 className="min-w-0 flex-1 truncate font-semibold" dir="auto">
            <Link
              to="/sessions/$id"
              params={{ id: session.id }}
              search={session.last_task_id ? { task: session.last_task_id } : {}}
              className="block truncate leading-7 outline-none after:absolute after:inset-0 after:rounded-3 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-agent"
            >
              {title}
            </Link>
          </h3>
        </SessionTitle>
        <p className="h-5 truncate text-ink-2 narrow:hidden" dir="auto">
          {view.line}
        </p>
        <div className="mt-2 flex items-center gap-3 text-12 text-ink-3 tabular-nums narrow:mt-1">
          <SessionChip view={view} />
          <span className="min-w-0 flex-1" />
          {session.viewers > 0 && (
            <span className="inline-flex items-center gap-1">
              <Eye size={14} strokeWidth={1.75} aria-hidden />
              {session.viewers}
              <span className="sr-only">watching</span>
            </span>
          )}
          <span className="inline-flex items-center gap-1">
            <Clock size={14} strokeWidth={1.75} aria-hidden />
            <span className="sr-only">last change before</span>
            {formatLength(since)}
          </span>
        </div>
      </div>
    </li>
  );
}
