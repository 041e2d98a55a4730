import { TopBar } from '../frame/top-bar.tsx';

export function SettingsPage() {
  return <TopBar title="Settings" />;
}
