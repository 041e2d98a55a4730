// Hosts and agents, and how many sessions each host may hold.

import type { AdminAgent, AdminHost } from '@pilothouse/contract';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Bot, Server } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import { formatAgo } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';
import { Input } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { HostTable } from './host-table.tsx';
import { cellClass, List, numberClass, Table } from './list.tsx';
import { agentsQuery, hostsQuery } from './queries.ts';

export function HostsPart() {
  const read = useInfiniteQuery(hostsQuery);
  const agents = useQuery(agentsQuery);
  const now = useNow();
  const hosts = read.data?.pages.flatMap((page) => page.hosts) ?? [];
  const found = agents.data?.agents ?? [];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-7">
      <div>
        <h2 className="mb-2.5 text-14 font-semibold">Hosts</h2>
        <List read={read} what="The hosts" count={hosts.length} empty={noHosts}>
          <HostTable hosts={hosts} now={now} limitOf={(host) => <Limit key={host.id} host={host} />} />
        </List>
      </div>
      <div>
        <h2 className="mb-2.5 text-14 font-semibold">Agents</h2>
        <List read={agents} what="The agents" count={found.length} empty={noAgents}>
          <AgentTable agents={found} now={now} />
        </List>
      </div>
    </div>
  );
}

export const noHosts = {
  icon: Server,
  title: 'No host has been heard of',
  text: 'Tasks wait until a browser host starts.',
};
const noAgents = { icon: Bot, title: 'No agent has been heard of', text: 'Tasks wait until an agent starts.' };

/** Counts from the next heartbeat of the host on. Its sessions stay. */
function Limit({ host }: { host: AdminHost }) {
  const cache = useQueryClient();
  const [written, setWritten] = useState<string>();
  const change = useMutation({
    mutationFn: (max_sessions: number | null) => client.changeHost({ id: host.id, max_sessions }),
    onSuccess: () => setWritten(undefined),
    onError: (error) => showToast(describeError(error), 'bad'),
    onSettled: () => cache.invalidateQueries(hostsQuery),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(written ? Number(written) : null);
  };
  return (
    <form onSubmit={send} className="flex items-center gap-2">
      <Input
        type="number"
        min={0}
        max={10_000}
        step={1}
        aria-label={`How many sessions ${host.id} may hold; empty: the default`}
        placeholder={host.allowed === null || host.max_sessions !== null ? 'default' : `${host.allowed}`}
        value={written ?? host.max_sessions ?? ''}
        onChange={({ target }) => setWritten(target.value)}
        className="h-7! w-24!"
      />
      {written !== undefined && (
        <Button type="submit" size="sm" isBusy={change.isPending}>
          Set
        </Button>
      )}
    </form>
  );
}

const agentStates = {
  live: { label: 'At work', tone: 'good' },
  missing: { label: 'Missing', tone: 'bad' },
  recovered: { label: 'Gone, its work was taken over', tone: 'line' },
} as const;
const columns = [
  { name: 'Agent' },
  { name: 'State' },
  { name: 'Models' },
  { name: 'Works on', isNumber: true },
  { name: 'Heard' },
];

function AgentTable({ agents, now }: { agents: readonly AdminAgent[]; now: number }) {
  const order = ['missing', 'live', 'recovered'];
  const sorted = agents.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <Table label="Agents" columns={columns}>
      {sorted.map(({ id, state, models, tasks, seen_at }) => (
        <tr key={id}>
          <th scope="row" className={cx(cellClass, 'text-left font-mono text-12 font-normal')} title={id}>
            {id.slice(0, 8)}
          </th>
          <td className={cellClass}>
            <Chip tone={agentStates[state].tone}>{agentStates[state].label}</Chip>
          </td>
          <td className={cx(cellClass, 'max-w-64 truncate text-ink-2')} dir="auto">
            {models.join(', ') || 'none'}
          </td>
          <td className={numberClass}>{tasks}</td>
          <td className={cx(cellClass, 'whitespace-nowrap text-ink-2')}>
            {seen_at ? formatAgo(seen_at, now) : 'never'}
          </td>
        </tr>
      ))}
    </Table>
  );
}
