// Name and password. On the login page, and in the dialog when a login is lost.

import type { User } from '@pilothouse/contract';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { login } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, PasswordInput } from '../ui/field.tsx';
import { FormError } from './form-error.tsx';

type LoginFormProps = { name?: string; onDone?: (user: User) => void };

export function LoginForm({ name = '', onDone }: LoginFormProps) {
  const [username_or_email, setName] = useState(name);
  const [password, setPassword] = useState('');
  const { mutate, error, isPending } = useMutation({ mutationFn: login.login, onSuccess: onDone });
  const send = (event: FormEvent) => {
    event.preventDefault();
    mutate({ username_or_email, password });
  };
  return (
    <form onSubmit={send} className="grid gap-5">
      <Field label="Name or e-mail">
        {(control) => (
          <Input
            {...control}
            required
            autoFocus={!name}
            autoComplete="username"
            autoCapitalize="off"
            spellCheck={false}
            value={username_or_email}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Password">
        {(control) => (
          <PasswordInput
            {...control}
            required
            autoFocus={Boolean(name)}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <FormError text={error ? describeError(error) : undefined} />
      <Button type="submit" look="primary" size="xl" isBusy={isPending} className="w-full">
        {isPending ? 'Logging in' : 'Log in'}
      </Button>
    </form>
  );
}
