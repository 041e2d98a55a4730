// What keeps a task from starting, and the way on.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { openTasksQuery } from '../api/queries.ts';
import { describeError, type ScriptFault } from '../api/words.ts';
import { Faults } from '../compose/faults.tsx';
import { Button } from '../ui/button.tsx';

const box = 'mt-3 rounded-3 bg-surface p-3 ring-1 ring-line';

export function NoModel({ onScript }: { onScript: () => void }) {
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

type RefusedProps = { error: Error | null; faults: readonly ScriptFault[]; onLine: (fault: ScriptFault) => void };

export function Refused({ error, faults, onLine }: RefusedProps) {
  if (faults.length > 0) return <Faults faults={faults} onLine={onLine} className={box} />;
  return error && <p className={`${box} text-bad-ink`}>{describeError(error)}</p>;
}

const shownTasks = 5;

/** The quota is used up: what is open, so that the person can end some of it. */
export function OpenTasks({ limit }: { limit: number }) {
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
