// A lock by name, in this process: work of one name runs one at a time, different names do not wait for each other.

export function createKeyedLock() {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run<T>(name: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(name) ?? Promise.resolve();
      // A failure of the work before is not ours.
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
