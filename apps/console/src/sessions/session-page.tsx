// One session: its browser, who drives it, and what its tasks did.

import { getRouteApi } from '@tanstack/react-router';
import { TopBar } from '../frame/top-bar.tsx';

const route = getRouteApi('/app/sessions/$id');

export function SessionPage() {
  const { id } = route.useParams();
  const { task } = route.useSearch();
  const hash = new URLSearchParams({ session: id, ...(task ? { task } : {}) });
  return (
    <>
      <TopBar title="Session" />
      <main className="p-6">
        <a href={`/classic#${hash}`} className="text-agent-ink">
          Watch this session
        </a>
      </main>
    </>
  );
}
