// What the installation does now: room, waits, failures, hosts, open tasks, agents.

import type { AdminOverview } from '@pilothouse/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Check, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatLength } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { ReadError } from '../frame/read-error.tsx';
import { cx } from '../ui/class-names.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { HostTable } from './host-table.tsx';
import { noHosts } from './hosts-part.tsx';
import { cardClass, List } from './list.tsx';
import { hostsQuery, overviewQuery } from './queries.ts';
import { formatCount, taskStates } from './words.ts';

export function Overview() {
  const read = useQuery(overviewQuery);
  const hosts = useInfiniteQuery(hostsQuery);
  const now = useNow();
  const shown = hosts.data?.pages.flatMap((page) => page.hosts) ?? [];
  if (read.error && !read.data)
    return <ReadError what="The overview" error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) return <Skeleton className="h-24 w-full rounded-3" />;
  const { overview } = read.data;
  return (
    <div data-testid="admin-overview">
      <Figures overview={overview} />
      <div className="grid grid-cols-[minmax(0,1fr)_340px] gap-6 max-xl:grid-cols-[minmax(0,1fr)]">
        <div>
          <h2 className="mb-2.5 text-14 font-semibold">Hosts</h2>
          <List read={hosts} what="The hosts" count={shown.length} empty={noHosts}>
            <HostTable hosts={shown} now={now} />
          </List>
        </div>
        <div>
          <h2 className="mb-2.5 text-14 font-semibold">Tasks now</h2>
          <TasksNow tasks={overview.tasks} />
          <h2 className="mt-6 mb-2.5 text-14 font-semibold">Parts</h2>
          <Parts overview={overview} />
        </div>
      </div>
    </div>
  );
}

type Found = AdminOverview['tasks'];
const sum = (found: Found) => found.reduce((all, { count }) => all + count, 0);
const oldest = (found: Found) => Math.max(0, ...found.map(({ oldest_secs }) => oldest_secs));
const oldestWords = (found: Found) => (sum(found) > 0 ? `oldest ${formatLength(oldest(found) * 1000)}` : '');

function Figures({ overview }: { overview: AdminOverview }) {
  const { tasks, browsers, waiting, ended } = overview;
  const forRoom = tasks.filter(({ waits_for }) => waits_for === 'browser');
  const forPerson = tasks.filter(({ status }) => status === 'awaiting_user');
  return (
    <dl className="mb-6 grid grid-cols-4 gap-4 max-lg:grid-cols-2">
      <Figure name="Browsers in use" of={browsers.slots} beside={`${formatCount(browsers.free)} free`}>
        {browsers.slots - browsers.free}
      </Figure>
      <Figure name="Wait for a browser" beside={oldestWords(forRoom)}>
        {waiting.tasks + waiting.persons}
      </Figure>
      <Figure name="Wait for a person" beside={oldestWords(forPerson)}>
        {sum(forPerson)}
      </Figure>
      <Figure name="Failed in a day" of={ended.tasks} beside={ended.is_cut ? 'of the newest' : ''}>
        {ended.failed}
      </Figure>
    </dl>
  );
}

function Figure({ name, of, beside, children }: { name: string; of?: number; beside: string; children: number }) {
  return (
    <div className={cx(cardClass, 'px-4 py-3.5')}>
      <dt className="text-ink-3">{name}</dt>
      <dd className="flex items-end justify-between gap-3">
        <span className="text-28 font-semibold tabular-nums">
          {formatCount(children)}
          {of !== undefined && <span className="text-16 font-normal text-ink-3">{` of ${formatCount(of)}`}</span>}
        </span>
        <span className="pb-1 text-12 text-ink-3">{beside}</span>
      </dd>
    </div>
  );
}

const bands = [
  { status: 'running', look: 'bg-agent' },
  {
    status: 'awaiting_user',
    look: 'bg-[repeating-linear-gradient(135deg,var(--person)_0_3px,color-mix(in_srgb,var(--person)_35%,var(--surface))_3px_6px)]',
  },
  { status: 'takeover', look: 'bg-person' },
  { status: 'pending', look: 'bg-line-2' },
] as const;

function TasksNow({ tasks }: { tasks: Found }) {
  const rows = bands.map(({ status, look }) => ({ status, look, found: tasks.filter((one) => one.status === status) }));
  return (
    <div className={cx(cardClass, 'p-4')}>
      <p>
        <b className="text-20 font-semibold tabular-nums">{formatCount(sum(tasks))}</b>
        <span className="ml-2 text-ink-3">open</span>
      </p>
      <div aria-hidden className="mt-3 mb-2.5 flex h-2.5 gap-0.5">
        {sum(tasks) === 0 && <span className="flex-1 rounded-[3px] bg-sunken" />}
        {rows.map(
          ({ status, look, found }) =>
            sum(found) > 0 && (
              <span key={status} className={cx('min-w-1 rounded-[3px]', look)} style={{ flex: sum(found) }} />
            ),
        )}
      </div>
      <ul>
        {rows.map(({ status, found }) => (
          <Line key={status} name={taskStates[status].label} beside={oldestWords(found)}>
            <b className="w-10 text-right font-semibold tabular-nums">{formatCount(sum(found))}</b>
          </Line>
        ))}
      </ul>
    </div>
  );
}

function Line({
  name,
  beside,
  icon,
  children,
}: {
  name: string;
  beside: string;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className="flex min-h-9 items-center gap-2 border-t border-line first:border-t-0">
      {icon}
      <span className="flex-1">{name}</span>
      <span className="text-ink-3 tabular-nums">{beside}</span>
      {children}
    </li>
  );
}

function Parts({ overview: { agents, hosts } }: { overview: AdminOverview }) {
  const parts = [
    {
      name: 'Browser hosts',
      isWell: hosts.live > 0 && hosts.gone + hosts.avoided === 0,
      words: [
        `${hosts.live} live`,
        hosts.gone > 0 && `${hosts.gone} gone`,
        hosts.avoided > 0 && `${hosts.avoided} avoided`,
      ],
    },
    {
      name: 'Agents',
      isWell: agents.live > 0 && agents.missing === 0,
      words: [`${agents.live} live`, agents.missing > 0 && `${agents.missing} missing`],
    },
  ];
  return (
    <ul className={cx(cardClass, 'px-4 py-1')}>
      {parts.map(({ name, isWell, words }) => (
        <Line
          key={name}
          name={name}
          beside={words.filter(Boolean).join(' · ')}
          icon={
            isWell ? (
              <Check size={16} strokeWidth={1.75} aria-hidden className="text-good-ink" />
            ) : (
              <TriangleAlert size={16} strokeWidth={1.75} aria-hidden className="text-bad-ink" />
            )
          }
        />
      ))}
    </ul>
  );
}
