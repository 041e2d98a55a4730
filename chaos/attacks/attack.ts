/** One attack on a running system of real parts: an attacker tries to reach data or acts that belong to another user. */
export type Attack = {
  /** As it is asked for on the command line. */
  name: string;
  /** Who does what, in one sentence. */
  what: string;
  run(size: AttackSize): Promise<AttackResult>;
};

export type AttackSize = {
  /** For the stack or the services that the attack starts for itself. */
  stackName: string;
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
