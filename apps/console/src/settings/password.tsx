// Change the password. Every other login of the person ends with it.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../api/login.ts';
import { capabilitiesQuery, loginsQuery } from '../api/queries.ts';
import { describeError, readFieldErrors } from '../api/words.ts';
import { FormError } from '../auth/form-error.tsx';
import { Button } from '../ui/button.tsx';
import { Field, PasswordInput } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { Section } from './section.tsx';

const none = { current_password: '', new_password: '' };

export function Password({ username }: { username: string }) {
  const [given, setGiven] = useState(none);
  const { data: offered } = useQuery(capabilitiesQuery);
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => client.changePassword(given),
    onSuccess: () => {
      setGiven(none);
      showToast('The password is changed. Your other logins have ended.', 'good');
      return cache.invalidateQueries(loginsQuery);
    },
  });
  const faults = readFieldErrors(error);
  const isOfField = Object.keys(faults).some((name) => name in given);
  const bind = (name: keyof typeof none) => ({
    required: true,
    value: given[name],
    onChange: (event: { target: { value: string } }) => setGiven({ ...given, [name]: event.target.value }),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Section title="Password" text="Every other login of yours ends when it is changed. API keys stay.">
      <form onSubmit={send} className="grid max-w-[344px] gap-4">
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <Field label="Present password" error={faults.current_password}>
          {(control) => <PasswordInput {...control} {...bind('current_password')} autoComplete="current-password" />}
        </Field>
        <Field
          label="New password"
          hint={offered && `At least ${offered.password_min_length} characters.`}
          error={faults.new_password}
        >
          {(control) => <PasswordInput {...control} {...bind('new_password')} autoComplete="new-password" />}
        </Field>
        <FormError text={error && !isOfField ? describeError(error) : undefined} />
        <Button type="submit" look="primary" size="lg" isBusy={isPending} className="justify-self-start">
          {isPending ? 'Changing' : 'Change the password'}
        </Button>
      </form>
    </Section>
  );
}
