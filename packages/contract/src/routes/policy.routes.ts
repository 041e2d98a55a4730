// Routes of the policy of a user.

import { Policy, PolicyRules } from '../tasks/policy.ts';
import { bodyErrors, bodyLimits, loginErrors, type Route, Success } from '../types/route.ts';

/** `effective`: what holds for a task that adds nothing of its own. */
const PolicyReply = Success.extend({ policy: Policy, effective: PolicyRules });
const common = { path: '/api/policy', access: 'user', origin: 'extension', area: 'tasks' } as const;

export const policyRoutes = {
  getPolicy: {
    ...common,
    method: 'GET',
    summary: 'Read the rules that the caller added for their tasks, and what holds in the end',
    replies: { 200: PolicyReply },
    errors: [...loginErrors],
  },
  setPolicy: {
    ...common,
    method: 'PUT',
    limit: 'write',
    summary:
      'Replace the rules that the caller adds for their tasks, which can only be stricter than those of the installation',
    body: Policy,
    bodyLimitBytes: bodyLimits.other,
    replies: { 200: PolicyReply },
    errors: [...loginErrors, ...bodyErrors, 'forbidden', 'rate_limited'],
  },
} as const satisfies Record<string, Route>;
