// The policy in force, and what is open under it. New domain lists also cut what they no longer allow.

import type { Policy, Target } from './rules/domains.ts';

export type OpenTargets = {
  policy(): Policy;
  /** From now on this policy. What is open and not allowed by it is ended. */
  setPolicy(policy: Policy): void;
  /** Counts a tunnel or a request as open until the returned function is called. */
  add(target: Target, end: () => void): () => void;
  endAll(): void;
};

export function createOpenTargets(first: Policy): OpenTargets {
  const open = new Set<{ target: Target; end(): void }>();
  let policy = first;

  return {
    policy: () => policy,
    setPolicy(next) {
      policy = next;
      for (const { target, end } of open) if (policy.judgeName(target)) end();
    },
    add(target, end) {
      const entry = { target, end };
      open.add(entry);
      return () => void open.delete(entry);
    },
    endAll() {
      for (const { end } of open) end();
    },
  };
}
