// Saved browser states, which a session can begin with.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UserRound } from 'lucide-react';
import { client } from '../api/login.ts';
import { profilesQuery } from '../api/queries.ts';
import { describeError } from '../api/words.ts';
import { formatAgo } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { ReadError } from '../frame/read-error.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { showToast } from '../ui/toasts.ts';
import { listClass, rowClass, Section } from './section.tsx';

export function Profiles() {
  const { data, error, refetch } = useQuery(profilesQuery);
  const now = useNow();
  const cache = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => client.deleteProfile({ id }),
    onError: (failure) => showToast(describeError(failure), 'bad'),
    onSettled: () => cache.invalidateQueries(profilesQuery),
  });
  return (
    <Section
      title="Profiles"
      text="Cookies and storage of a browser, saved under a name. A session can begin with one."
    >
      {!data && error && <ReadError what="The profiles" error={error} onRetry={() => void refetch()} />}
      {data?.profiles.length === 0 && (
        <Empty icon={UserRound} title="No profiles yet" text="A program saves one with createProfile." />
      )}
      {data && data.profiles.length > 0 && (
        <ul className={listClass}>
          {data.profiles.map(({ id, label, updated_at }) => (
            <li key={id} className={rowClass}>
              <b className="min-w-0 flex-1 truncate font-semibold" dir="auto">
                {label}
              </b>
              <span className="shrink-0 text-ink-3">{formatAgo(updated_at, now)}</span>
              <Button
                size="sm"
                aria-label={`Remove ${label}`}
                isBusy={remove.isPending}
                onClick={() => remove.mutate(id)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
