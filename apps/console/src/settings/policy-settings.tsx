// What agents may do for the person, and what they ask about first. The installation may be stricter, which is said beside it.

import { ApiError } from '@pilothouse/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../api/login.ts';
import { policyQuery } from '../api/queries.ts';
import { useUser } from '../api/use-user.ts';
import { describeError } from '../api/words.ts';
import { FormError } from '../auth/form-error.tsx';
import { ReadError } from '../frame/read-error.tsx';
import type { PolicyReply } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.ts';
import { LineList } from './line-list.tsx';
import { faultsOf, formOf, type ListName, newKey, type PolicyForm, type PolicyMode, policyOf } from './policy-form.ts';
import { PolicyInForce } from './policy-in-force.tsx';
import { listClass, Section } from './section.tsx';

const modes: { mode: PolicyMode | ''; label: string; text: string }[] = [
  { mode: '', label: 'As the installation says', text: 'You add nothing to what its operator has chosen.' },
  { mode: 'free', label: 'Free', text: 'Nothing is asked. Only administrators can choose it.' },
  {
    mode: 'standard',
    label: 'Standard',
    text: 'Asks before an act commits you or gives a file away, and before a model goes to a site that nobody named.',
  },
  {
    mode: 'careful',
    label: 'Careful',
    text: 'Asks also before a form is sent, a file is taken, a secret is written or a dialog is agreed to.',
  },
  { mode: 'watch', label: 'Watch', text: 'As careful, and acts only while you watch.' },
];

const lists: { name: ListName; label: string; text: string }[] = [
  { name: 'allow', label: 'Only these sites', text: 'Agents open no other. Empty: every site.' },
  { name: 'deny', label: 'Never these sites', text: 'Agents never open them.' },
  { name: 'read_only', label: 'Only to read', text: 'Nothing is written or pressed there that changes anything.' },
  { name: 'watch', label: 'Only while you watch', text: 'What changes anything there is done only while you watch.' },
];

export function PolicySettings() {
  const { data, error, refetch } = useQuery(policyQuery);
  return (
    <>
      <Section
        title="Policy"
        text="What agents do for you without asking. The strictest of the installation, of you and of the task holds, so that rules can only take away."
      >
        {!data && error && <ReadError what="The policy" error={error} onRetry={() => void refetch()} />}
        {data && <PolicyFields reply={data} />}
      </Section>
      {data && (
        <Section title="What holds in the end" text="For a task that adds no rules of its own.">
          <PolicyInForce reply={data} />
        </Section>
      )}
    </>
  );
}

function PolicyFields({ reply }: { reply: PolicyReply }) {
  const [form, setForm] = useState(() => formOf(reply.policy));
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: (sent: PolicyForm) => client.setPolicy(policyOf(sent)),
    onSuccess: (saved) => {
      cache.setQueryData(policyQuery.queryKey, saved);
      setForm(formOf(saved.policy));
      showToast('The policy is saved.', 'good');
    },
  });
  // The lines that were sent: those of the form may be others by now.
  const faults = faultsOf(save.variables ?? form, save.error instanceof ApiError ? save.error.errors : []);
  const isAtLine = Object.keys(faults.lines).length + Object.keys(faults.lists).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending) save.mutate(form);
  };
  return (
    <form onSubmit={submit} noValidate className="grid gap-6">
      <Modes mode={form.mode} saved={reply.policy.mode} onChange={(mode) => setForm({ ...form, mode })} />
      {lists.map(({ name, label, text }) => (
        <LineList
          key={name}
          label={label}
          text={`${text} A name of a host stands for all names below it too.`}
          item="host"
          placeholder="example.com"
          lines={form.lines[name]}
          nextKey={newKey(form)}
          error={faults.lists[name]}
          errors={faults.lines}
          onChange={(lines) => setForm({ ...form, lines: { ...form.lines, [name]: lines } })}
        />
      ))}
      <FormError
        text={save.error ? (isAtLine ? 'It is not saved: see the lines above.' : describeError(save.error)) : undefined}
      />
      <Button type="submit" look="primary" size="lg" isBusy={save.isPending} className="justify-self-start narrow:h-11">
        {save.isPending ? 'Saving' : 'Save the policy'}
      </Button>
    </form>
  );
}

type ModesProps = {
  mode: PolicyForm['mode'];
  saved: PolicyMode | undefined;
  onChange: (mode: PolicyForm['mode']) => void;
};

function Modes({ mode: chosen, saved, onChange }: ModesProps) {
  const isAdmin = useUser()?.role === 'admin';
  const offered = modes.filter(({ mode }) => mode !== 'free' || isAdmin || saved === 'free');
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">How much is asked</legend>
      <div className={listClass}>
        {offered.map(({ mode, label, text }) => (
          <label
            key={mode}
            className="flex cursor-pointer gap-2.5 border-t border-line px-3 py-2 first-of-type:border-t-0"
          >
            <input
              type="radio"
              name="mode"
              checked={mode === chosen}
              onChange={() => onChange(mode)}
              className="mt-0.5 size-4 shrink-0 accent-agent"
            />
            <span>
              <b className="block font-semibold">{label}</b>
              <span className="text-ink-2">{text}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
