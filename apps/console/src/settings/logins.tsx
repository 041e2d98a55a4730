// Where the person is logged in.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../api/login.ts';
import { loginsQuery } from '../api/queries.ts';
import { describeError } from '../api/words.ts';
import { logOut } from '../auth/log-out.ts';
import { formatAgo } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { showToast } from '../ui/toasts.ts';
import { listClass, rowClass, Section } from './section.tsx';

export function Logins() {
  const { data } = useQuery(loginsQuery);
  const now = useNow();
  const cache = useQueryClient();
  const end = useMutation({
    mutationFn: (id: string) => client.endLogin({ id }),
    onError: (error) => showToast(describeError(error), 'bad'),
    onSettled: () => cache.invalidateQueries(loginsQuery),
  });
  const endAll = useMutation({
    mutationFn: () => logOut(() => client.logoutAll({})),
    onError: (error) => showToast(describeError(error), 'bad'),
  });
  return (
    <Section title="Where you are logged in" text="End what you do not know, and change your password.">
      <ul className={listClass}>
        {data?.logins.map((one) => (
          <li key={one.id} className={rowClass}>
            <span className="min-w-0 flex-1 truncate" dir="auto">
              {one.user_agent ?? 'A program'} <span className="text-ink-3">{one.address}</span>
            </span>
            <span className="shrink-0 text-ink-3">{formatAgo(one.last_used_at, now)}</span>
            {one.current ? (
              <Chip tone="good">This one</Chip>
            ) : (
              <Button size="sm" onClick={() => end.mutate(one.id)}>
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Button className="mt-3" isBusy={endAll.isPending} onClick={() => endAll.mutate()}>
        End all, this one too
      </Button>
    </Section>
  );
}
