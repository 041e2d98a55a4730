/** Does the work of one name at a time, in this process; names do not wait for each other. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return {
    async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(name) ?? Promise.resolve();
      // Whoever went before may have failed; that was theirs.
      const mine = before.then(work, work);
      last.set(name, mine);
      try {
        return await mine;
      } finally {
        if (last.get(name) === mine) last.delete(name);
      }
    },
  };
}
