// API keys. The key itself is shown once, when it is made.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/login.ts';
import { keysQuery } from '../api/queries.ts';
import { describeError } from '../api/words.ts';
import { formatAgo, formatUntil } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { listClass, rowClass, Section } from './section.tsx';

export function ApiKeys() {
  const { data } = useQuery(keysQuery);
  const now = useNow();
  const cache = useQueryClient();
  const [label, setLabel] = useState('');
  const settled = {
    onError: (error: Error) => showToast(describeError(error), 'bad'),
    onSettled: () => cache.invalidateQueries(keysQuery),
  };
  const make = useMutation({
    mutationFn: () => client.createKey({ label }),
    onSuccess: () => setLabel(''),
    ...settled,
  });
  const remove = useMutation({ mutationFn: (id: string) => client.deleteKey({ id }), ...settled });
  return (
    <Section
      title="API keys"
      text="A key acts as you on chat, sessions and tasks, and on nothing of your login. It is shown once."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
        className="mb-3 flex gap-2"
      >
        <Input
          aria-label="Name of the new key"
          placeholder="nightly"
          required
          maxLength={100}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <Button type="submit" look="primary" size="lg" isBusy={make.isPending}>
          New key
        </Button>
      </form>
      {make.data && (
        <div role="status" className="mb-3 rounded-3 bg-surface p-4 ring-1 ring-person-edge">
          <p className="font-semibold" dir="auto">
            “{make.data.key.label}” is ready. Copy it now, it is not shown again.
          </p>
          <code className="mt-2 block break-all select-all">{make.data.key.key_token}</code>
        </div>
      )}
      <ul className={listClass}>
        {data?.keys.map((key) => (
          <li key={key.id} className={rowClass}>
            <b className="min-w-0 flex-1 truncate font-semibold" dir="auto">
              {key.label}
            </b>
            <span className="text-ink-3">{key.last_used_at ? formatAgo(key.last_used_at, now) : 'never used'}</span>
            {key.expires_at && <span className="text-ink-3">ends {formatUntil(key.expires_at, now)}</span>}
            <Button size="sm" onClick={() => remove.mutate(key.id)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
