// Log in.

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { capabilitiesQuery } from '../api/queries.ts';
import { AuthPage } from './auth-page.tsx';
import { LoginForm } from './login-form.tsx';

const route = getRouteApi('/login');

export function LoginPage() {
  const { to = '/' } = route.useSearch();
  const { history } = useRouter();
  const { data: offered } = useQuery(capabilitiesQuery);
  return (
    <AuthPage title="Log in" text="Log in to watch and steer your agents.">
      <LoginForm onDone={() => history.replace(to)} />
      {offered?.registration === 'open' && (
        <p className="mt-5 text-ink-3">
          New here?{' '}
          <Link to="/register" search={{ to }} className="ml-1 text-agent-ink underline underline-offset-2">
            Register
          </Link>
        </p>
      )}
    </AuthPage>
  );
}
