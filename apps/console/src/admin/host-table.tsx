// Browser hosts: each place for a browser as a square, by who is at work in it.

import type { AdminHost } from '@pilothouse/contract';
import type { ReactNode } from 'react';
import { formatAgo, formatLength } from '../common/format.ts';
import { Chip } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';
import { cellClass, numberClass, Table } from './list.tsx';

/** More squares than this would not be counted by anyone. */
const mostSquares = 32;

const squares = {
  agent: { name: 'agent works', look: 'bg-agent' },
  person: { name: 'person drives', look: 'bg-person ring-1 ring-person-edge' },
  idle: { name: 'open, idle', look: 'bg-agent/40' },
  free: { name: 'free', look: 'inset-ring-1 inset-ring-line-2' },
} as const;
type Square = keyof typeof squares;

type HostTableProps = { hosts: readonly AdminHost[]; now: number; limitOf?: (host: AdminHost) => ReactNode };

export function HostTable({ hosts, now, limitOf }: HostTableProps) {
  const columns = [
    { name: 'Host' },
    { name: 'Browsers' },
    { name: 'Memory', isNumber: true },
    { name: 'Load', isNumber: true },
    { name: 'Heard' },
    ...(limitOf ? [{ name: 'May hold' }] : []),
  ];
  return (
    <>
      <Table label="Hosts" columns={columns}>
        {hosts.map((host) => (
          <tr key={host.id} data-testid="host">
            <th scope="row" className={cx(cellClass, 'max-w-48 truncate text-left font-semibold')} title={host.id}>
              {host.id}
            </th>
            <td className={cellClass}>
              <Places host={host} now={now} />
            </td>
            <td className={numberClass}>{percent(host, 'memory')}</td>
            <td className={numberClass}>{percent(host, 'cpu')}</td>
            <td className={cx(cellClass, 'whitespace-nowrap text-ink-2')}>
              {host.seen_at ? formatAgo(host.seen_at, now) : 'never'}
            </td>
            {limitOf && <td className={cellClass}>{limitOf(host)}</td>}
          </tr>
        ))}
      </Table>
      <p aria-hidden className="mt-2.5 flex flex-wrap gap-4 text-12 text-ink-2">
        {Object.values(squares).map(({ name, look }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span className={cx('size-3 rounded-[3px]', look)} />
            {name}
          </span>
        ))}
      </p>
    </>
  );
}

const percent = ({ state, load }: AdminHost, of: 'cpu' | 'memory') =>
  state === 'live' && load ? `${Math.round(load[of] * 100)} %` : '–';

function Places({ host, now }: { host: AdminHost; now: number }) {
  if (host.state === 'never_seen') return <Chip>Not heard of yet</Chip>;
  if (host.state === 'gone')
    return <Chip tone="bad">{`Not heard for ${formatLength(now - Date.parse(host.seen_at ?? ''))}`}</Chip>;
  const { agent, person, idle } = host.held;
  const allowed = host.allowed ?? 0;
  const free = Math.max(0, allowed - agent - person - idle);
  const shown = Object.entries({ agent, person, idle, free }).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, at) => ({ kind: kind as Square, key: `${kind} ${at}` })),
  );
  const words = `${agent + person + idle} of ${allowed}: ${agent} at work, ${person} driven by a person, ${idle} idle`;
  return (
    <span className="flex items-center gap-2">
      <span role="img" aria-label={words} className="flex gap-[3px]">
        {shown.slice(0, mostSquares).map(({ kind, key }) => (
          <span key={key} className={cx('h-4 w-3 rounded-[3px]', squares[kind].look)} />
        ))}
      </span>
      {shown.length > mostSquares && <span className="text-ink-2">{`${agent + person + idle} of ${allowed}`}</span>}
      {host.is_leaving && <Chip tone="line">Leaving</Chip>}
      {host.is_avoided && <Chip tone="bad">Refused a browser</Chip>}
    </span>
  );
}
