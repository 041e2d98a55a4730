// The routes of the rules that a user adds for their tasks.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { PolicyService } from './policy.service.ts';

export function policyRoutes(serve: Serve, policies: PolicyService) {
  serve(routes.getPolicy, ({ caller }) => policies.get(caller));
  serve(routes.setPolicy, ({ caller, body }) => policies.set(caller, body));
}
