// The question that the gate of a guest asks before an act.

import type { JudgedAct } from './judged-act.ts';

/** `size`: the characters of its message. */
export type GuestAct = { method: string; params: Record<string, unknown>; sessionId?: string; size?: number };

export type JudgeAct = {
  /** Undefined where the act may be done; else why not. Rejects where nobody can say. */
  (act: GuestAct, judged: JudgedAct): Promise<string | undefined>;
  /** Whether any act could be refused now. */
  isNeeded(): boolean;
};
