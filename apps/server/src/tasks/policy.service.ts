// The rules that a user adds for their tasks. They can only be stricter than those of the installation.

import type { Policy, ReplyOf, routes } from '@pilothouse/contract';
import { rulesFor } from '@pilothouse/policy';
import type { Caller, Store } from '@pilothouse/store';
import { requireMode } from '../http/policy-mode.ts';

type Options = { store: Pick<Store, 'userPolicies' | 'audit'>; installation: Policy };
type PolicyReply = ReplyOf<(typeof routes)['getPolicy']>;

export function createPolicyService({ store, installation }: Options) {
  const shown = (caller: Caller, policy: Policy): PolicyReply => ({
    success: true,
    policy,
    effective: rulesFor({ installation, user: policy, isAdmin: caller.role === 'admin' }),
  });

  return {
    get: async (caller: Caller): Promise<PolicyReply> => shown(caller, await store.userPolicies.of(caller.id)),

    async set(caller: Caller, policy: Policy): Promise<PolicyReply> {
      requireMode(caller, policy);
      await store.userPolicies.set(caller.id, policy);
      const data = countedPolicy(policy);
      await store.audit.add({ event: 'policy_changed', outcome: 'success', userId: caller.id, data });
      return shown(caller, policy);
    },
  };
}
export type PolicyService = ReturnType<typeof createPolicyService>;

/** For the audit, which administrators read: where a user works is not theirs to know. */
const countedPolicy = ({ mode, ...lists }: Policy) => ({
  ...(mode && { mode }),
  ...Object.fromEntries(Object.entries(lists).map(([name, hosts]) => [name, hosts.length])),
});
