// Tasks of all users: their state and what they wait for, without their words. Opening one is a read of its own.

import type { AdminTask } from '@pilothouse/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { formatAgo, formatLength } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { Chip } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';
import { Pick, TextFilter } from './filters.tsx';
import { cellClass, List, numberClass, Table } from './list.tsx';
import { type TaskFilter, tasksQuery } from './queries.ts';
import { taskStates, waitWords } from './words.ts';

const any = { value: '', label: 'Any' };
const optionsOf = (words: Record<string, string>) => [
  any,
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
];
const states = optionsOf(Object.fromEntries(Object.entries(taskStates).map(([state, { label }]) => [state, label])));
const waits = optionsOf(waitWords);
const ages = optionsOf({ 60: '1 minute', 600: '10 minutes', 3600: '1 hour', 86400: '1 day', 604800: '7 days' });
const columns = [
  { name: 'Task' },
  { name: 'User' },
  { name: 'State' },
  { name: 'Waits for' },
  { name: 'Step', isNumber: true },
  { name: 'Made' },
];

export function TaskList() {
  const [filter, setFilter] = useState<TaskFilter>({});
  const read = useInfiniteQuery(tasksQuery(filter));
  const now = useNow();
  const tasks = read.data?.pages.flatMap((page) => page.tasks) ?? [];
  // The options have no other values.
  const pick = (name: keyof TaskFilter) => (value: string) =>
    setFilter({ ...filter, [name]: value === '' ? undefined : name === 'older_than_secs' ? Number(value) : value });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <Pick label="State" value={filter.status ?? ''} options={states} onChange={pick('status')} />
        <Pick label="Waits for" value={filter.waits_for ?? ''} options={waits} onChange={pick('waits_for')} />
        <Pick
          label="Older than"
          value={`${filter.older_than_secs ?? ''}`}
          options={ages}
          onChange={pick('older_than_secs')}
        />
        <TextFilter
          label="User"
          placeholder="Name, e-mail or id"
          onSend={(user) => user !== filter.user && setFilter({ ...filter, user })}
        />
      </div>
      <List
        read={read}
        what="The tasks"
        count={tasks.length}
        empty={{ icon: ListChecks, title: 'No task', text: 'No task is as the filters say.' }}
      >
        <Table label="Tasks" columns={columns}>
          {tasks.map((task) => (
            <Row key={task.id} task={task} now={now} />
          ))}
        </Table>
      </List>
    </>
  );
}

function Row({ task, now }: { task: AdminTask; now: number }) {
  const { label, tone } = taskStates[task.status];
  return (
    <tr data-testid="admin-task">
      <th scope="row" className={cx(cellClass, 'text-left font-normal')}>
        <Link
          to="/sessions/$id"
          params={{ id: task.session_id }}
          search={{ task: task.id }}
          // Opening it is in the audit of its user: hovering must not be.
          preload={false}
          className="font-mono text-12 text-agent-ink underline"
          title={task.id}
        >
          {task.id.slice(-12)}
        </Link>
      </th>
      <td className={cx(cellClass, 'max-w-48 truncate')} dir="auto">
        {task.username}
      </td>
      <td className={cellClass}>
        <Chip tone={tone}>{label}</Chip>
      </td>
      <td className={cx(cellClass, 'whitespace-nowrap')}>{describeWait(task, now)}</td>
      <td className={numberClass}>
        {task.total_steps === null ? task.current_step : `${task.current_step} of ${task.total_steps}`}
      </td>
      <td className={cx(cellClass, 'whitespace-nowrap text-ink-2')}>{formatAgo(task.created_at, now)}</td>
    </tr>
  );
}

function describeWait({ waits_for, waiting_since, is_program, finished_at }: AdminTask, now: number): string {
  if (waits_for === null) return is_program && finished_at === null ? 'A program drives' : '–';
  const since = waiting_since ? `, ${formatLength(now - Date.parse(waiting_since))}` : '';
  return `${waitWords[waits_for]}${since}`;
}
