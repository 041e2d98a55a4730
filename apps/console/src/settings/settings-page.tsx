// Settings: account, logins, API keys, policy, profiles, secrets, look.

import { getRouteApi } from '@tanstack/react-router';
import { useUser } from '../api/use-user.ts';
import { logOut } from '../auth/log-out.ts';
import { TopBar } from '../frame/top-bar.tsx';
import { Button } from '../ui/button.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Logins } from './logins.tsx';
import { Look } from './look.tsx';
import { Password } from './password.tsx';
import { PolicySettings } from './policy-settings.tsx';
import { Profiles } from './profiles.tsx';
import { Secrets } from './secrets.tsx';
import { Section } from './section.tsx';
import { SettingsNav } from './settings-nav.tsx';

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
  const Page = pages[part];
  return (
    <>
      <TopBar title="Settings" />
      <div className="flex min-h-0 flex-1 narrow:flex-col">
        <SettingsNav />
        <main className="min-h-0 min-w-0 flex-1 overflow-y-auto px-12 py-8 narrow:px-4">
          <div className="grid max-w-[880px] grid-cols-[minmax(0,1fr)] content-start gap-8">
            <Page />
          </div>
        </main>
      </div>
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
