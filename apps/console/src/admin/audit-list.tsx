// The audit: who did what and when, filtered, and as a file.

import type { AuditEntry } from '@pilothouse/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import { saveBlob } from '../tasks/save-blob.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';
import { LongText } from '../ui/long-text.tsx';
import { showToast } from '../ui/toasts.ts';
import { Pick, TextFilter } from './filters.tsx';
import { cellClass, List, Table } from './list.tsx';
import { type AuditFilter, auditQuery } from './queries.ts';
import { describeEvent } from './words.ts';

const ages = [
  { value: '', label: 'Everything' },
  { value: '3600', label: 'The last hour' },
  { value: '86400', label: 'The last day' },
  { value: '604800', label: 'The last 7 days' },
];
const columns = [
  { name: 'When' },
  { name: 'Event' },
  { name: 'Outcome' },
  { name: 'User' },
  { name: 'By' },
  { name: 'Address' },
  { name: 'More' },
];
/** With many lines it takes its time. */
const timeoutMs = 900_000;

export function AuditList() {
  const [filter, setFilter] = useState<AuditFilter>({});
  const [secs, setSecs] = useState('');
  const read = useInfiniteQuery(auditQuery(filter));
  const entries = read.data?.pages.flatMap((page) => page.entries) ?? [];
  const pickAge = (value: string) => {
    setSecs(value);
    const from = value === '' ? undefined : new Date(Date.now() - Number(value) * 1000).toISOString();
    setFilter({ ...filter, from });
  };
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <TextFilter
          label="User"
          placeholder="Name, e-mail or id"
          onSend={(user) => user !== filter.user && setFilter({ ...filter, user })}
        />
        <TextFilter
          label="Event"
          placeholder="login"
          onSend={(text) => {
            const event = text?.replaceAll(' ', '_');
            if (event !== filter.event) setFilter({ ...filter, event });
          }}
        />
        <Pick label="Time" value={secs} options={ages} onChange={pickAge} />
        <span className="flex-1" />
        <Export filter={filter} format="csv" />
        <Export filter={filter} format="ndjson" />
      </div>
      <List
        read={read}
        what="The audit"
        count={entries.length}
        empty={{ icon: ScrollText, title: 'Nothing', text: 'No line of the audit is as the filters say.' }}
      >
        <Table label="Audit" columns={columns}>
          {entries.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </Table>
      </List>
    </>
  );
}

function Export({ filter, format }: { filter: AuditFilter; format: 'csv' | 'ndjson' }) {
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    try {
      const response = await client.exportAudit({ ...filter, format }, { timeoutMs });
      saveBlob(await response.blob(), `audit.${format}`);
    } catch (error) {
      showToast(describeError(error), 'bad');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button size="lg" icon={Download} isBusy={isBusy} onClick={() => void save()}>
      {format === 'csv' ? 'CSV' : 'JSON lines'}
    </Button>
  );
}

const time = (at: string) =>
  new Date(at).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

function Row({ entry }: { entry: AuditEntry }) {
  const { event, outcome, username, user_id, actor, actor_id, address, data } = entry;
  const words = Object.entries(data)
    .map(([name, value]) => `${describeEvent(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return (
    <tr data-testid="audit-entry" className="align-top [&>*]:py-2">
      <th scope="row" className={cx(cellClass, 'text-left font-normal whitespace-nowrap text-ink-2 tabular-nums')}>
        {time(entry.recorded_at)}
      </th>
      <td className={cx(cellClass, 'max-w-56 wrap-anywhere')}>{describeEvent(event)}</td>
      <td className={cellClass}>
        <Chip tone={outcome === 'success' ? 'good' : 'line'} className="max-w-40 overflow-hidden">
          {describeEvent(outcome)}
        </Chip>
      </td>
      <td className={cx(cellClass, 'max-w-40 truncate')} dir="auto">
        {username ?? user_id ?? '–'}
      </td>
      <td className={cx(cellClass, 'max-w-40 truncate')} dir="auto">
        {actor ?? actor_id ?? '–'}
      </td>
      <td className={cx(cellClass, 'max-w-40 truncate text-ink-2')}>{address ?? '–'}</td>
      <td className={cx(cellClass, 'min-w-48 text-12 wrap-anywhere text-ink-2')} dir="auto">
        <LongText text={words || '–'} lines={2} />
      </td>
    </tr>
  );
}
