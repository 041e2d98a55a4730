// The route of bundled streams.

import { BundledEvent, BundleQuery } from '../sessions/bundle.ts';
import { ShareHeaders } from '../sessions/session.ts';
import { loginErrors, type Route } from '../types/route.ts';

export const bundleRoutes = {
  followStreams: {
    method: 'GET',
    path: '/api/streams',
    access: 'share',
    origin: 'extension',
    area: 'sessions',
    summary: 'Follow several sessions and tasks, and the inbox, in one response, each from its own cursor',
    query: BundleQuery,
    headers: ShareHeaders,
    replies: {},
    stream: BundledEvent,
    errors: [...loginErrors, 'validation_failed', 'not_found', 'rate_limited'],
  },
} as const satisfies Record<string, Route>;
