// The addresses of the console. Pages are loaded when they are first shown.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { type AdminPart, isAdminPart } from './admin/parts.ts';
import { login } from './api/login.ts';
import { healthQuery } from './api/queries.ts';
import { queryClient } from './api/query-client.ts';
import { ErrorPage, NotFoundPage } from './frame/problem-pages.tsx';
import { type SessionFilter, sessionFilters } from './sessions/session-state.ts';
import { isSettingsPart, type SettingsPart } from './settings/parts.ts';

const root = createRootRoute({ component: Outlet });

type LoginSearch = { to?: string };
const readLoginSearch = ({ to }: Record<string, unknown>): LoginSearch =>
  // Only a path of this console: an address of another host would lead the person away.
  typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {};

const loginRoute = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: readLoginSearch,
  component: lazyRouteComponent(() => import('./auth/login-page.tsx'), 'LoginPage'),
});

const registerRoute = createRoute({
  getParentRoute: () => root,
  path: '/register',
  validateSearch: readLoginSearch,
  component: lazyRouteComponent(() => import('./auth/register-page.tsx'), 'RegisterPage'),
});

const shareRoute = createRoute({
  getParentRoute: () => root,
  path: '/share',
  component: lazyRouteComponent(() => import('./sessions/share-page.tsx'), 'SharePage'),
});

const appRoute = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: lazyRouteComponent(() => import('./frame/app-frame.tsx'), 'AppFrame'),
  beforeLoad: async ({ location }) => {
    // Links to watch a session, as the server makes them.
    if (/(^|&)share=/.test(location.hash)) throw redirect({ to: '/share', hash: location.hash });
    if (login.isLoggedIn()) return;
    void queryClient.prefetchQuery(healthQuery);
    if (await login.restore()) return;
    const { auth } = await queryClient.ensureQueryData(healthQuery);
    if (auth === 'required') throw redirect({ to: '/login', search: { to: location.href } });
  },
});

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home/home-page.tsx'), 'HomePage'),
});

const inboxRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/inbox',
  component: lazyRouteComponent(() => import('./inbox/inbox-page.tsx'), 'InboxPage'),
});

const inboxItemRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/inbox/$taskId',
  component: lazyRouteComponent(() => import('./inbox/inbox-page.tsx'), 'InboxPage'),
});

const sessionsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/sessions',
  validateSearch: ({ show }: Record<string, unknown>): { show?: SessionFilter } => {
    const known = sessionFilters.find((one) => one === show);
    return known ? { show: known } : {};
  },
  component: lazyRouteComponent(() => import('./sessions/sessions-page.tsx'), 'SessionsPage'),
});

/** `at`: a moment to look back to, so that a link shows the same picture. */
type SessionSearch = { task?: string; at?: string; tab?: string; drawer?: string };
const sessionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/sessions/$id',
  validateSearch: (given: Record<string, unknown>): SessionSearch => {
    const read = (name: string) => (typeof given[name] === 'string' ? { [name]: given[name] } : {});
    return { ...read('task'), ...read('at'), ...read('tab'), ...read('drawer') };
  },
  component: lazyRouteComponent(() => import('./sessions/session-page.tsx'), 'SessionPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$part', params: { part: login.isLoggedIn() ? 'account' : 'look' }, replace: true });
  },
});

const settingsPartRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/$part',
  params: {
    parse: ({ part }): { part: SettingsPart } => {
      if (!isSettingsPart(part)) throw notFound();
      return { part };
    },
    stringify: ({ part }) => ({ part }),
  },
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
});

const adminRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/$part', params: { part: 'overview' }, replace: true });
  },
});

const adminPartRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/admin/$part',
  params: {
    parse: ({ part }): { part: AdminPart } => {
      if (!isAdminPart(part)) throw notFound();
      return { part };
    },
    stringify: ({ part }) => ({ part }),
  },
  component: lazyRouteComponent(() => import('./admin/admin-page.tsx'), 'AdminPage'),
});

const routeTree = root.addChildren([
  loginRoute,
  registerRoute,
  shareRoute,
  appRoute.addChildren([
    homeRoute,
    inboxRoute,
    inboxItemRoute,
    sessionsRoute,
    sessionRoute,
    settingsRoute,
    settingsPartRoute,
    adminRoute,
    adminPartRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: ErrorPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
