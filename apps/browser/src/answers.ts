const MAX_KEPT = 32;

/** The answers to the last commands, so that one sent again is not done again; also while the first is under way. */
export function createAnswers<Answer>(maxKept = MAX_KEPT) {
  const kept = new Map<string, Promise<Answer>>();
  return {
    get: (commandId: string) => kept.get(commandId),
    keep(commandId: string, answer: Promise<Answer>): Promise<Answer> {
      kept.set(commandId, answer);
      for (const oldest of kept.keys()) {
        if (kept.size <= maxKept) break;
        kept.delete(oldest);
      }
      return answer;
    },
  };
}
