import { TopBar } from '../frame/top-bar.tsx';

export function HomePage() {
  return <TopBar title="Home" />;
}
