// Settings: account, logins, API keys, policy, profiles, secrets, look.

import { getRouteApi, Link } from '@tanstack/react-router';
import { useUser } from '../api/use-user.ts';
import { logOut } from '../auth/log-out.ts';
import { TopBar } from '../frame/top-bar.tsx';
import { Button } from '../ui/button.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Logins } from './logins.tsx';
import { Look } from './look.tsx';
import { settingsParts } from './parts.ts';
import { Password } from './password.tsx';
import { PolicySettings } from './policy-settings.tsx';
import { Profiles } from './profiles.tsx';
import { Secrets } from './secrets.tsx';
import { Section } from './section.tsx';

const route = getRouteApi('/app/settings/$part');

const pages = {
  account: Account,
  logins: Logins,
  keys: ApiKeys,
  policy: PolicySettings,
  profiles: Profiles,
  secrets: Secrets,
  look: Look,
};

export function SettingsPage() {
  const { part } = route.useParams();
  const user = useUser();
  const Page = pages[part];
  return (
    <>
      <TopBar title="Settings" />
      <main className="min-h-0 flex-1 overflow-y-auto px-12 py-8 narrow:px-4">
        <div className="grid max-w-[1040px] grid-cols-[160px_minmax(0,1fr)] gap-10 narrow:grid-cols-1 narrow:gap-5">
          <nav aria-label="Settings" className="flex flex-col gap-0.5 narrow:flex-row narrow:flex-wrap">
            {settingsParts
              .filter(({ isOfUser }) => user || !isOfUser)
              .map((one) => (
                <Link
                  key={one.part}
                  to="/settings/$part"
                  params={{ part: one.part }}
                  className="rounded-2 px-3 py-1.5 text-ink-2 hover:bg-hover hover:text-ink narrow:py-3"
                  activeProps={{ className: 'bg-agent-soft font-medium text-agent-ink!' }}
                >
                  {one.label}
                </Link>
              ))}
          </nav>
          <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-8">
            <Page />
          </div>
        </div>
      </main>
    </>
  );
}

function Account() {
  const user = useUser();
  if (!user) return null;
  return (
    <>
      <Section title="Account" text={`${user.username} · ${user.email}`}>
        <Button onClick={() => void logOut()}>Log out</Button>
      </Section>
      <Password username={user.username} />
    </>
  );
}
