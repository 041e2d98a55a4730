/** Somebody who holds a place, and can be asked to leave it to another for a while. */
export type Turn = { leave(): void };

type Waiting = { begin: () => void };
type Holder = { giveWay: () => void };

/**
 * A few places for any number of them. While somebody waits, whoever has held a place for longest is asked to give way
 * after a turn, and goes to the end of the queue.
 */
export function createTurns({ places, turnMs }: { places: number; turnMs: number }) {
  const holders = new Set<Holder>();
  const queue: Waiting[] = [];
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
        const waiting: Waiting = {
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
          queue.splice(queue.indexOf(waiting), 1);
          next();
          reject(signal.reason);
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
        queue.push(waiting);
        next();
      });
    },
  };
}
export type Turns = ReturnType<typeof createTurns>;
