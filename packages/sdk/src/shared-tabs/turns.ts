// A few places that many holders share by turns.

export type Turn = { leave(): void };

type Waiter = { begin: () => void };
type Holder = { giveWay: () => void };

/**
 * While others wait, the holder that has had its place for longest is asked to give way after a turn, and goes to the
 * end of the queue.
 */
export function createTurns({ places, turnMs }: { places: number; turnMs: number }) {
  const holders = new Set<Holder>();
  const queue: Waiter[] = [];
  let asking: ReturnType<typeof setTimeout> | undefined;

  function next(): void {
    while (holders.size < places && queue.length > 0) queue.shift()?.begin();
    if (queue.length === 0) {
      clearTimeout(asking);
      asking = undefined;
    } else asking ??= setTimeout(askOldest, turnMs);
  }
  function askOldest(): void {
    asking = undefined;
    const [oldest] = holders;
    oldest?.giveWay();
    next();
  }

  return {
    /** Waits for a place. `giveWay` is called when it should be left, which may be more than once. */
    enter(giveWay: () => void, signal: AbortSignal): Promise<Turn> {
      return new Promise((resolve, reject) => {
        const holder: Holder = { giveWay };
        const waiter: Waiter = {
          begin() {
            signal.removeEventListener('abort', stop);
            holders.add(holder);
            resolve({
              leave() {
                holders.delete(holder);
                next();
              },
            });
          },
        };
        const stop = () => {
          queue.splice(queue.indexOf(waiter), 1);
          next();
          reject(signal.reason);
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
        queue.push(waiter);
        next();
      });
    },
  };
}
export type Turns = ReturnType<typeof createTurns>;
