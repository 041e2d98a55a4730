// Secrets: values that tasks type by their name. No value is ever read, so none can be shown.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { capabilitiesQuery, secretsQuery } from '../api/queries.ts';
import { describeError } from '../api/words.ts';
import { FormError } from '../auth/form-error.tsx';
import { formatAgo } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { ReadError } from '../frame/read-error.tsx';
import type { Secret } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { LongText } from '../ui/long-text.tsx';
import { showName } from '../ui/shown-name.ts';
import { showToast } from '../ui/toasts.ts';
import { SecretFields } from './secret-fields.tsx';
import { listClass, rowClass, Section } from './section.tsx';

/** What is written: another secret instead of this one, or a new one. */
type Written = { replaced: Secret | undefined };

export function Secrets() {
  const { data, error, refetch } = useQuery(secretsQuery);
  const { data: offered } = useQuery(capabilitiesQuery);
  const cache = useQueryClient();
  const [written, setWritten] = useState<Written>();
  const [removed, setRemoved] = useState<Secret>();
  const { place, giveFocusTo } = useFocusAfterForm();
  const secrets = data?.secrets ?? [];
  const close = () => {
    giveFocusTo(written?.replaced?.name);
    setWritten(undefined);
  };
  const keep = (name: string) => {
    close();
    showToast(`The secret “${name}” is kept.`, 'good');
    void cache.invalidateQueries(secretsQuery);
  };
  // Secrets are sealed with the key that profiles are sealed with.
  const isOff = offered?.caller?.profiles === false;
  return (
    <div ref={place}>
      <Section
        title="Secrets"
        text="Values that tasks type by their name, only on the sites that you list. They are written once, and never shown again."
      >
        <div className={isOff ? 'mb-3' : 'hidden'}>
          <FormError text={isOff ? 'This server keeps no secrets: PROFILE_KEY is not set.' : undefined} />
        </div>
        {!data && error && <ReadError what="The secrets" error={error} onRetry={() => void refetch()} />}
        {data && !isOff && !written && (
          <Button
            data-new
            look="primary"
            size="lg"
            icon={Plus}
            onClick={() => setWritten({ replaced: undefined })}
            className="mb-3 narrow:h-11"
          >
            New secret
          </Button>
        )}
        {written && (
          <SecretFields
            key={written.replaced?.name ?? ''}
            replaced={written.replaced}
            names={secrets.map(({ name }) => name)}
            onKept={keep}
            onCancel={close}
          />
        )}
        {data && secrets.length === 0 && !written && (
          <Empty
            icon={KeyRound}
            title="No secrets yet"
            text="A secret is a value under a name: a task types it where a prompt or a script says {{secret:name}}, and its one-time code where it says {{totp:name}}."
          />
        )}
        {secrets.length > 0 && (
          <SecretList secrets={secrets} onReplace={(replaced) => setWritten({ replaced })} onRemove={setRemoved} />
        )}
      </Section>
      {removed && <RemoveSecret name={removed.name} onClose={() => setRemoved(undefined)} />}
    </div>
  );
}

/** The form takes the focus with it when it goes: it goes on at the button that opened it. */
function useFocusAfterForm() {
  const place = useRef<HTMLDivElement>(null);
  const wanted = useRef<{ name: string | undefined }>(undefined);
  useEffect(() => {
    if (!wanted.current) return;
    const { name } = wanted.current;
    wanted.current = undefined;
    const buttons = [...(place.current?.querySelectorAll<HTMLElement>('[data-replace]') ?? [])];
    const own = buttons.find(({ dataset }) => dataset.replace === name);
    (own ?? place.current?.querySelector<HTMLElement>('[data-new]'))?.focus();
  });
  const giveFocusTo = (name: string | undefined) => {
    wanted.current = { name };
  };
  return { place, giveFocusTo };
}

type SecretListProps = {
  secrets: readonly Secret[];
  onReplace: (secret: Secret) => void;
  onRemove: (secret: Secret) => void;
};

function SecretList({ secrets, onReplace, onRemove }: SecretListProps) {
  const now = useNow();
  return (
    <ul className={listClass}>
      {secrets.map((secret) => (
        <li key={secret.name} data-testid="secret" className={cx(rowClass, 'flex-wrap py-2')}>
          <div className="min-w-0 flex-1 basis-60">
            <b className="block truncate font-semibold" dir="auto">
              {showName(secret.name)}
            </b>
            <span className="font-mono text-12 wrap-anywhere text-ink-2">
              <LongText text={secret.origins.join(', ')} />
            </span>
          </div>
          {secret.has_totp && <Chip>One-time code</Chip>}
          <span className="shrink-0 text-ink-3">
            {secret.last_used_at ? `used ${formatAgo(secret.last_used_at, now)}` : 'never used'}
          </span>
          <span className="flex gap-2">
            <Button
              size="sm"
              data-replace={secret.name}
              aria-label={`Replace ${secret.name}`}
              onClick={() => onReplace(secret)}
            >
              Replace
            </Button>
            <Button size="sm" aria-label={`Remove ${secret.name}`} onClick={() => onRemove(secret)}>
              Remove
            </Button>
          </span>
        </li>
      ))}
    </ul>
  );
}

function RemoveSecret({ name, onClose }: { name: string; onClose: () => void }) {
  const cache = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.deleteSecret({ name }),
    onSuccess: () => showToast(`The secret “${name}” is removed.`, 'good'),
    onError: (failure) => showToast(describeError(failure), 'bad'),
    onSettled: async () => {
      // The list first: the focus would go back to a button that is about to go.
      await cache.invalidateQueries(secretsQuery);
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Remove “${name}”?`}
      text="Tasks that name it fail where they would type it. The value cannot be brought back."
      className="wrap-anywhere"
    >
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="lg" onClick={onClose}>
          Cancel
        </Button>
        <Button
          look="danger"
          size="lg"
          isBusy={remove.isPending}
          onClick={() => remove.mutate()}
          className="max-w-full whitespace-normal"
        >
          Remove the secret
        </Button>
      </div>
    </Dialog>
  );
}
