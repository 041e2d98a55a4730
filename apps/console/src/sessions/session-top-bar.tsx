// The bar over the session page: which session, which task, who watches, and sharing.

import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronLeft, Eye, UserRound } from 'lucide-react';
import { memo } from 'react';
import { TopBar } from '../frame/top-bar.tsx';
import type { TaskSummary } from '../live/api-types.ts';
import type { SessionView } from '../live/session-model.ts';
import { buttonClass } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/popover.tsx';
import { SessionTitle } from './session-title.tsx';
import { SharePopover } from './share-popover.tsx';

type SessionTopBarProps = {
  id: string;
  session: SessionView['session'];
  viewers: number;
  tasks: readonly TaskSummary[];
  taskId: string | undefined;
  onTask: (id: string) => void;
};

export const SessionTopBar = memo(function SessionTopBar({
  id,
  session,
  viewers,
  tasks,
  taskId,
  onTask,
}: SessionTopBarProps) {
  const oldestFirst = tasks.toReversed();
  const index = oldestFirst.findIndex((task) => task.id === taskId);
  return (
    <TopBar
      title={session.title ?? 'Session'}
      hasShortSearch
      hasPicture
      start={
        <Link to="/sessions" aria-label="All sessions" className={buttonClass('quiet', 'md', 'px-2!')}>
          <ChevronLeft size={16} strokeWidth={1.75} aria-hidden />
        </Link>
      }
      beside={
        <>
          <SessionTitle id={id} title={session.title} className="flex shrink-0 items-center gap-1 narrow:hidden">
            {null}
          </SessionTitle>
          {index >= 0 && (
            <span className="flex shrink-0 items-center gap-1 text-ink-3 narrow:hidden">
              /
              {tasks.length > 1 ? (
                <Menu
                  trigger={
                    <button
                      type="button"
                      className="flex h-7 items-center gap-1.5 rounded-2 px-2 text-ink-2 hover:bg-hover"
                    >
                      {`Task ${index + 1} of ${tasks.length}`}
                      <ChevronDown size={14} strokeWidth={2} aria-hidden />
                    </button>
                  }
                >
                  {oldestFirst.map((task, position) => (
                    <MenuItem key={task.id} isChosen={task.id === taskId} onSelect={() => onTask(task.id)}>
                      {`${position + 1}  ${task.title}`}
                    </MenuItem>
                  ))}
                </Menu>
              ) : (
                <span className="px-2 text-ink-2">Task 1 of 1</span>
              )}
            </span>
          )}
        </>
      }
    >
      <span className="flex shrink-0 items-center gap-3.5 text-12 text-ink-3">
        <span title="Watching now" className="inline-flex items-center gap-1 tabular-nums">
          <Eye size={14} strokeWidth={1.75} aria-hidden />
          <b className="font-medium text-ink-2">{viewers}</b>
        </span>
        {session.profile_label && (
          <span className="inline-flex items-center gap-1 narrow:hidden">
            <UserRound size={14} strokeWidth={1.75} aria-hidden />
            <b className="font-medium text-ink-2" dir="auto">
              {session.profile_label}
            </b>
          </span>
        )}
      </span>
      {session.status !== 'closed' && <SharePopover sessionId={id} isShared={session.shared} />}
    </TopBar>
  );
});
