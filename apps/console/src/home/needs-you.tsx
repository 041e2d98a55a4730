// The two longest waits for a person, and the way to the others.

import type { InboxItem } from '@pilothouse/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inboxQuery } from '../api/inbox.ts';
import { formatLength } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { describeWait } from '../inbox/wait.ts';
import { WaitLine } from '../inbox/wait-line.tsx';
import { TaskPicture } from '../sessions/task-picture.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Badge } from '../ui/chip.tsx';

export function NeedsYou() {
  const { data } = useQuery(inboxQuery);
  const now = useNow();
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-label="Needs you" className="mt-8">
      <div className="mb-3 flex items-center gap-2">
        <h2 className="text-14 font-semibold">Needs you</h2>
        <Badge count={data.items.length} label="waiting" />
        <span className="flex-1" />
        <Link to="/inbox" className="text-agent-ink hover:underline">
          Open the inbox
        </Link>
      </div>
      <ul className="grid grid-cols-2 gap-4 max-lg:grid-cols-1">
        {data.items.slice(0, 2).map((item) => (
          <Waiting key={item.task_id} item={item} now={now} />
        ))}
      </ul>
    </section>
  );
}

function Waiting({ item, now }: { item: InboxItem; now: number }) {
  const { title } = describeWait(item);
  return (
    <li className="flex gap-4 rounded-3 bg-surface p-3 ring-1 ring-person-edge">
      <TaskPicture taskId={item.task_id} className="h-26 w-42 shrink-0 rounded-2 narrow:hidden" />
      <div className="flex min-w-0 flex-1 flex-col">
        <WaitLine item={item} since={formatLength(now - Date.parse(item.waiting_since))} />
        <p className="mt-0.5 truncate text-14" dir="auto">
          {title}
        </p>
        <p className="truncate text-ink-2" dir="auto">
          {item.title}
        </p>
        <span className="flex-1" />
        <Link
          to="/inbox/$taskId"
          params={{ taskId: item.task_id }}
          className={buttonClass('plain', 'md', 'mt-2 self-start narrow:h-11 narrow:w-full')}
        >
          {item.takeover ? 'Look' : 'Look and decide'}
        </Link>
      </div>
    </li>
  );
}
