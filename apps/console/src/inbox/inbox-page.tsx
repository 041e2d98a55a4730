import { TopBar } from '../frame/top-bar.tsx';

export function InboxPage() {
  return <TopBar title="Inbox" />;
}
