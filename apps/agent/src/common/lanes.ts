// Work at several hosts, each in a lane of its own: a host that is slow or silent delays only what is to be done there.

type Options = {
  /** How much is under way at one host at a time. */
  atOnce: number;
  onFailed: (error: unknown) => void;
};

export function createLanes({ atOnce, onFailed }: Options) {
  const lanes = new Map<string, Promise<void>>();

  async function walk<Item>(items: readonly Item[], work: (item: Item) => Promise<boolean>): Promise<void> {
    const rest = items.values();
    let isHeard = true;
    async function next(): Promise<void> {
      for (const item of rest) {
        if (!isHeard) return;
        const wasHeard = await work(item).catch((error) => {
          onFailed(error);
          return true;
        });
        if (!wasHeard) isHeard = false;
      }
    }
    await Promise.all(Array.from({ length: atOnce }, next));
  }

  return {
    /**
     * Does the work for each item in order, unless the lane of this host is still busy with earlier ones. `work` returns false
     * where the host did not answer: then the rest is left for another time.
     */
    run<Item>(hostId: string, items: readonly Item[], work: (item: Item) => Promise<boolean>): Promise<void> {
      const busy = lanes.get(hostId);
      if (busy) return busy;
      const lane = walk(items, work).finally(() => lanes.delete(hostId));
      lanes.set(hostId, lane);
      return lane;
    },
    /** Waits for what is under way. */
    async close(): Promise<void> {
      await Promise.all(lanes.values());
    },
  };
}
