// How many unsent bytes wait for each user and each address, and which answers they belong to.

/** The user, share or address that an answer counts for, and how many bytes may wait for it. */
export type Bound = { key: string; most: number };
type UnsentAnswer = {
  readonly bounds: Bound[];
  /** How many bytes it counts for now; set here. */
  counted: number;
  /** Counts what waits now. */
  recount(): void;
};
export type UnsentAccount<Answer> = { most: number; total: number; answers: Set<Answer> };

export function createUnsentAccounts<Answer extends UnsentAnswer>() {
  const accounts = new Map<string, UnsentAccount<Answer>>();
  const answers = new Set<Answer>();

  function accountOf({ key, most }: Bound): UnsentAccount<Answer> {
    const account = accounts.get(key) ?? { most, total: 0, answers: new Set() };
    accounts.set(key, account);
    return account;
  }

  return {
    add(answer: Answer, bytes: number): void {
      answers.add(answer);
      answer.counted += bytes;
      for (const bound of answer.bounds) {
        const account = accountOf(bound);
        account.total += bytes;
        account.answers.add(answer);
      }
    },
    remove(answer: Answer): void {
      if (!answers.delete(answer)) return;
      for (const { key } of answer.bounds) {
        const account = accounts.get(key);
        if (!account?.answers.delete(answer)) continue;
        account.total -= answer.counted;
        if (account.answers.size === 0) accounts.delete(key);
      }
      answer.counted = 0;
    },
    hasRoom(bounds: Bound[], bytes: number): boolean {
      return bounds.every(({ key, most }) => {
        const account = accounts.get(key);
        if (bytes + (account?.total ?? 0) <= most) return true;
        // Much may have been read since it was counted.
        for (const answer of [...(account?.answers ?? [])]) answer.recount();
        return bytes + (accounts.get(key)?.total ?? 0) <= most;
      });
    },

    all: (): UnsentAccount<Answer>[] => [...accounts.values()],
    answers: (): Answer[] => [...answers],
    totalBytes: (): number => answers.values().reduce((sum, { counted }) => sum + counted, 0),
  };
}
export type UnsentAccounts<Answer extends UnsentAnswer> = ReturnType<typeof createUnsentAccounts<Answer>>;
