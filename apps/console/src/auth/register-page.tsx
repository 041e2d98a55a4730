// Create a user, with an invitation where one is needed, and log in as it.

import type { RegisterRequest } from '@pilothouse/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client, login } from '../api/login.ts';
import { capabilitiesQuery } from '../api/queries.ts';
import { describeError, readFieldErrors } from '../api/words.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, PasswordInput } from '../ui/field.tsx';
import { AuthPage } from './auth-page.tsx';
import { FormError } from './form-error.tsx';

const route = getRouteApi('/register');

async function register(wanted: RegisterRequest): Promise<void> {
  await client.register(wanted);
  await login.login({ username_or_email: wanted.username, password: wanted.password });
}

export function RegisterPage() {
  const { to = '/' } = route.useSearch();
  const { history } = useRouter();
  const [wanted, setWanted] = useState<RegisterRequest>({ username: '', email: '', password: '' });
  const { mutate, error, isPending } = useMutation({ mutationFn: register, onSuccess: () => history.replace(to) });
  const faults = readFieldErrors(error);
  const { data: offered } = useQuery(capabilitiesQuery);
  const invite = useInvite();
  const isOfField = Object.keys(faults).some((name) => name in wanted);
  const bind = (name: 'username' | 'email' | 'password') => ({
    value: wanted[name],
    required: true,
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => setWanted({ ...wanted, [name]: event.target.value }),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    mutate({ ...wanted, invite });
  };
  if (offered && offered.registration !== 'open' && !invite)
    return <NeedsInvite isClosed={offered.registration === 'closed'} to={to} />;
  return (
    <AuthPage
      title="Register"
      text={invite ? 'You are invited: make your account.' : 'Make an account to run and watch your agents.'}
    >
      <form onSubmit={send} noValidate className="grid gap-5">
        <Field label="Name" hint="Letters, digits, dot, underscore and dash." error={faults.username}>
          {(control) => (
            <Input {...control} {...bind('username')} autoComplete="username" autoCapitalize="off" autoFocus />
          )}
        </Field>
        <Field label="E-mail" error={faults.email}>
          {(control) => <Input {...control} {...bind('email')} type="email" autoComplete="email" />}
        </Field>
        <Field
          label="Password"
          hint={offered && `At least ${offered.password_min_length} characters.`}
          error={faults.password}
        >
          {(control) => <PasswordInput {...control} {...bind('password')} autoComplete="new-password" />}
        </Field>
        <FormError text={error && !isOfField ? describeError(error) : undefined} />
        <Button type="submit" look="primary" size="xl" isBusy={isPending} className="w-full">
          {isPending ? 'Registering' : 'Register'}
        </Button>
      </form>
      <Registered to={to} />
    </AuthPage>
  );
}

const Registered = ({ to }: { to: string }) => (
  <p className="mt-5 text-ink-3">
    Registered already?{' '}
    <Link to="/login" search={{ to }} className="ml-1 text-agent-ink underline underline-offset-2">
      Log in
    </Link>
  </p>
);

/** From what follows the # of the address: no server and no log gets it. It stays there, so that a reload does not lose it. */
function useInvite(): string | undefined {
  const [invite] = useState(() => new URLSearchParams(location.hash.slice(1)).get('invite') ?? undefined);
  return invite;
}

const NeedsInvite = ({ isClosed, to }: { isClosed: boolean; to: string }) => (
  <AuthPage
    title="Register"
    text={
      isClosed
        ? 'Registration is closed here. An operator of this installation can let you in.'
        : 'You need an invitation to register here. Ask an administrator of this installation for a link.'
    }
  >
    <Registered to={to} />
  </AuthPage>
);
