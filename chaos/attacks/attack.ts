import type { Stack } from '../../testkit/stack/stack.ts';

/** One attack on a running system of real parts: an attacker tries to reach data or acts that belong to another user. */
export type Attack = {
  /** As it is asked for on the command line. */
  name: string;
  /** Who does what, in one sentence. */
  what: string;
  /** Whether it can run in a stack with others: beside them, or only while no other one does. */
  sharing?: 'beside others' | 'in turn';
  run(size: AttackSize): Promise<AttackResult>;
};

export type AttackSize = {
  /** For the stack or the services that the attack starts for itself. */
  stackName: string;
  /** Instead of one of its own, where the attack can share one. */
  shared?: SharedStack;
  /** The small size runs with every change. */
  isSmall: boolean;
};

export type AttackResult = {
  /** How often it was tried; 0 would prove nothing, and counts as a failure. */
  tried: number;
  /** What the attacker got, a sentence each. Empty where the system held. */
  reached: string[];
  /** What an honest user could not do any more. Empty where the defence costs them nothing. */
  broken?: string[];
  figures?: object;
};

/** A stack without logins. */
export type OpenStack = {
  stack: Stack;
  port: number;
  baseUrl: string;
  /** Where the site of the attack has to listen, since browsers may visit no other port of this machine. */
  sitePort: number;
};

export type SharedStack = { take(): OpenStack; close(): Promise<void> };
