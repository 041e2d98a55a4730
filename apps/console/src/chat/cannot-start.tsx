// What keeps a task from starting, and the way on. Loaded when something does.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { openTasksQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { problemBox as box } from './problems.tsx';

type CannotStartProps = {
  /** As many tasks as the person may have are open: this many. */
  limit: number | undefined;
  /** Words were written, and no model reads them. */
  onScript: (() => void) | undefined;
};

export default function CannotStart({ limit, onScript }: CannotStartProps) {
  return (
    <>
      {limit !== undefined && <OpenTasks limit={limit} />}
      {onScript && <NoModel onScript={onScript} />}
    </>
  );
}

function NoModel({ onScript }: { onScript: () => void }) {
  return (
    <div className={box}>
      <p className="font-semibold">No model is configured</p>
      <p className="text-ink-2">Scripts run without one: one instruction a line.</p>
      <Button size="sm" className="mt-2" onClick={onScript}>
        Write a script
      </Button>
    </div>
  );
}

const shownTasks = 5;

/** The quota is used up: what is open, so that the person can end some of it. */
function OpenTasks({ limit }: { limit: number }) {
  const { data } = useQuery(openTasksQuery);
  return (
    <div className={box} data-testid="open-tasks">
      <p className="font-semibold">{`All ${limit} tasks that you may have are open`}</p>
      <p className="text-ink-2">The next one can begin when one of them is over.</p>
      {data && data.length > 0 && (
        <ul className="mt-2 grid gap-1">
          {data.slice(0, shownTasks).map(({ id, session_id, title }) => (
            <li key={id} className="min-w-0 truncate">
              <Link
                to="/sessions/$id"
                params={{ id: session_id }}
                search={{ task: id }}
                className="text-agent-ink hover:underline"
                dir="auto"
              >
                {title}
              </Link>
            </li>
          ))}
          {data.length > shownTasks && <li className="text-ink-3">{`and ${data.length - shownTasks} more`}</li>}
        </ul>
      )}
    </div>
  );
}
