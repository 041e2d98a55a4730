import { TopBar } from '../frame/top-bar.tsx';

export function SessionsPage() {
  return <TopBar title="Sessions" />;
}
