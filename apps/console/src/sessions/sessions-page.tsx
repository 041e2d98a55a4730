// All sessions.

import { getRouteApi } from '@tanstack/react-router';
import { TopBar } from '../frame/top-bar.tsx';
import { SessionList } from './session-list.tsx';

const route = getRouteApi('/app/sessions');

export function SessionsPage() {
  const { show = 'all' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <TopBar title="Sessions" />
      <main className="min-h-0 flex-1 overflow-y-auto px-10 py-6 narrow:px-4">
        <SessionList
          filter={show}
          onFilter={(next) => void navigate({ search: next === 'all' ? {} : { show: next }, replace: true })}
          heading={null}
        />
      </main>
    </>
  );
}
