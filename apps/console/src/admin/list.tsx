// What every list of administrators has: a table, what stands there without rows, and the way to more.

import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { describeError, readFieldErrors } from '../api/words.ts';
import { ReadError } from '../frame/read-error.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Empty } from '../ui/empty.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export type Column = { name: string; isNumber?: boolean };

export const cellClass = 'h-10 px-3 first:pl-4 last:pr-4';
export const numberClass = `${cellClass} text-right tabular-nums whitespace-nowrap`;
export const cardClass = 'rounded-3 bg-surface ring-1 ring-line';

export function Table({ label, columns, children }: { label: string; columns: Column[]; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section aria-label={label} tabIndex={0} className={cx(cardClass, 'overflow-x-auto')}>
      <table className="w-full border-collapse">
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th
                key={name}
                scope="col"
                className={cx(
                  'h-9 px-3 text-12 font-medium whitespace-nowrap text-ink-2 first:pl-4 last:pr-4',
                  isNumber ? 'text-right' : 'text-left',
                )}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&>tr]:border-t [&>tr]:border-line">{children}</tbody>
      </table>
    </section>
  );
}

type Read = {
  data?: unknown;
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
};
type ListProps = {
  read: Read;
  what: string;
  count: number;
  empty: { icon: LucideIcon; title: string; text?: string };
  children: ReactNode;
};

export function List({ read, what, count, empty, children }: ListProps) {
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage = false, fetchNextPage } = read;
  // A user who does not exist is a fault of the filter, which stays in sight.
  const fault = error && Object.keys(readFieldErrors(error)).length > 0 ? describeError(error) : undefined;
  if (fault) return <Empty icon={empty.icon} title={fault} />;
  if (error && !data) return <ReadError what={what} error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton className="h-60 w-full rounded-3" />;
  return (
    <>
      {count === 0 && !hasNextPage ? <Empty {...empty} /> : children}
      {hasNextPage && (
        <div className="mt-4 text-center">
          <Button onClick={() => void fetchNextPage?.()} isBusy={isFetchingNextPage}>
            {isFetchingNextPage ? 'Reading more' : 'Show more'}
          </Button>
        </div>
      )}
    </>
  );
}
