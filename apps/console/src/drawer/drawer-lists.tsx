// Logs, raw events and settings, line by line.

import type { LogEntry, StreamedEvent, TaskDetail } from '../live/api-types.ts';
import { describeTimeOfDay } from '../live/describe-time.ts';
import { cx } from '../ui/class-names.ts';

const levels: Record<LogEntry['level'], string> = {
  debug: 'text-ink-3',
  info: 'text-ink-2',
  warn: 'text-ink',
  error: 'text-bad-ink',
};

export function LogList({ logs }: { logs: readonly LogEntry[] }) {
  if (logs.length === 0) return <p className="p-4 text-ink-3">Nothing was logged yet.</p>;
  return (
    <ol className="py-1 font-mono text-12">
      {logs.map((log) => (
        <li key={log.seq} className="flex gap-4 px-4 py-0.5">
          <span className="shrink-0 text-ink-3">{describeTimeOfDay(log.timestamp, true)}</span>
          <span className={cx('w-10 shrink-0', levels[log.level])}>{log.level}</span>
          <span className="min-w-0 break-words" dir="auto">
            {log.message}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function EventList({ events }: { events: readonly StreamedEvent[] }) {
  if (events.length === 0) return <p className="p-4 text-ink-3">The streams brought nothing yet.</p>;
  return (
    <ol className="py-1 font-mono text-12">
      {events.toReversed().map(({ at, stream, event }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: counted from the oldest, so that it stays
        <li key={`${at} ${events.length - index}`} className="flex gap-4 px-4 py-0.5">
          <span className="shrink-0 text-ink-3">{describeTimeOfDay(at, true)}</span>
          <span className="w-10 shrink-0 text-ink-3">{stream}</span>
          <span className="w-28 shrink-0">{event.type}</span>
          <span className="min-w-0 flex-1 truncate text-ink-2" dir="ltr">
            {JSON.stringify(event)}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function SettingsList({ detail }: { detail: TaskDetail | undefined }) {
  if (!detail) return null;
  const { settings } = detail;
  const facts: [string, string][] = [
    ['Planner', settings.planner],
    ['Model', settings.model ?? 'none named'],
    ['Starts at', settings.current_url ?? 'the page that is open'],
    ['Domains', settings.allowed_domains?.join(', ') ?? 'any'],
    ['Steps at most', String(settings.max_steps)],
    ['Time limit', `${settings.time_limit_secs} s`],
    ...(settings.max_tokens === undefined ? [] : [['Tokens at most', String(settings.max_tokens)] as [string, string]]),
    ...(settings.max_cost === undefined ? [] : [['Dollars at most', String(settings.max_cost)] as [string, string]]),
    ['Constraints', settings.constraints.join(' · ') || 'none'],
  ];
  return (
    <dl className="grid grid-cols-[160px_minmax(0,1fr)] gap-x-4 gap-y-1.5 p-4">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="break-words" dir="auto">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
