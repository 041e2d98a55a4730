// Settings: look, keyboard, password, logins and API keys.

import { useSyncExternalStore } from 'react';
import { useUser } from '../api/use-user.ts';
import { logOut } from '../auth/log-out.ts';
import { singleKeys } from '../common/shortcuts.ts';
import { theme } from '../common/theme.ts';
import { TopBar } from '../frame/top-bar.tsx';
import { Button } from '../ui/button.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Logins } from './logins.tsx';
import { Section } from './section.tsx';

const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;
const onOff = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
] as const;

export function SettingsPage() {
  const user = useUser();
  const look = useSyncExternalStore(theme.onChange, theme.read);
  const keys = useSyncExternalStore(singleKeys.onChange, singleKeys.read);
  return (
    <>
      <TopBar title="Settings" />
      <main className="min-h-0 flex-1 overflow-y-auto px-12 py-8 narrow:px-4">
        <div className="grid max-w-[880px] gap-8">
          {user && (
            <Section title="Account" text={`${user.username} · ${user.email}`}>
              <Button onClick={() => void logOut()}>Log out</Button>
            </Section>
          )}
          <Section title="Look" text="Dark, light, or as the system is.">
            <Segmented label="Look" value={look} options={themes} onChange={theme.write} />
          </Section>
          <Section title="Single keys" text="Keys such as C and G H. Off, only those with Ctrl or ⌘ work.">
            <Segmented label="Single keys" value={keys} options={onOff} onChange={singleKeys.write} />
          </Section>
          {user && <Logins />}
          {user && <ApiKeys />}
        </div>
      </main>
    </>
  );
}
