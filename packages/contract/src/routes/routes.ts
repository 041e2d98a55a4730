// The table of routes: everything that the server promises over HTTP.

import type { Route } from '../types/route.ts';
import { adminRoutes } from './admin.routes.ts';
import { authRoutes } from './auth.routes.ts';
import { bundleRoutes } from './bundle.routes.ts';
import { chatRoutes } from './chat.routes.ts';
import { consoleLoginRoutes } from './console-login.routes.ts';
import { evidenceRoutes } from './evidence.routes.ts';
import { inviteRoutes } from './invite.routes.ts';
import { policyRoutes } from './policy.routes.ts';
import { secretRoutes } from './secret.routes.ts';
import { serviceRoutes } from './service.routes.ts';
import { sessionRoutes } from './session.routes.ts';
import { taskRoutes } from './task.routes.ts';

export const routes = {
  ...authRoutes,
  ...consoleLoginRoutes,
  ...inviteRoutes,
  ...adminRoutes,
  ...chatRoutes,
  ...sessionRoutes,
  ...taskRoutes,
  ...secretRoutes,
  ...evidenceRoutes,
  ...policyRoutes,
  ...bundleRoutes,
  ...serviceRoutes,
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;
