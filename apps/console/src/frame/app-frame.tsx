// The frame of every page behind a login: notices, rail, the page itself, and what opens over it.

import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useSyncExternalStore } from 'react';
import { healthQuery } from '../api/queries.ts';
import { LoginLost } from '../auth/login-lost.tsx';
import { useShortcuts } from '../common/shortcuts.ts';
import { closeOverlay, onOverlay, openKeys, openPalette, readOverlay } from '../palette/palette-state.ts';
import { useLostToast } from './connection-dot.tsx';
import { Rail, TabBar } from './rail.tsx';
import { useInboxCount } from './use-inbox-count.ts';

const Palette = lazy(() => import('../palette/palette.tsx'));
const Keys = lazy(() => import('../palette/keys.tsx'));

export function AppFrame() {
  const inboxCount = useInboxCount();
  const navigate = useNavigate();
  useLostToast();
  useShortcuts({
    'mod+k': openPalette,
    '?': openKeys,
    'g h': () => void navigate({ to: '/' }),
    'g i': () => void navigate({ to: '/inbox' }),
    'g s': () => void navigate({ to: '/sessions' }),
  });
  return (
    <div className="flex h-dvh flex-col overflow-hidden">
      <a
        href="#page"
        className="sr-only z-50 rounded-2 bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <Notices />
      <div className="grid min-h-0 flex-1 grid-cols-[56px_minmax(0,1fr)] narrow:grid-cols-1">
        <Rail inboxCount={inboxCount} />
        <Page />
      </div>
      <TabBar inboxCount={inboxCount} />
      <LoginLost />
      <Overlays />
    </div>
  );
}

/** Has the focus when a page was left by a control that is gone with it, so that the keyboard goes on in the new one. */
function Page() {
  const page = useRef<HTMLDivElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page
  useEffect(() => {
    if (document.activeElement === document.body) page.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div ref={page} id="page" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col outline-none">
      <Outlet />
    </div>
  );
}

/** What the operator wants everyone to know, such as that there are no logins. It cannot be closed. */
function Notices() {
  const { data } = useQuery(healthQuery);
  return data?.notices.map((notice) => (
    <p
      key={notice}
      role="note"
      className="flex min-h-8 shrink-0 items-center gap-2 bg-person-soft px-4 py-1 text-person-ink"
    >
      <Info size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
      {notice}
    </p>
  ));
}

function Overlays() {
  const open = useSyncExternalStore(onOverlay, readOverlay);
  return (
    <Suspense>
      {open === 'palette' && <Palette onClose={closeOverlay} />}
      {open === 'keys' && <Keys onClose={closeOverlay} />}
    </Suspense>
  );
}
