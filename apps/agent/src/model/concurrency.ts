// How many calls of models run at once in this agent. Those that wait are served in order, and can be aborted.

export type Places = {
  /** Waits for a place. The caller gives it back by calling what it gets. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
  busy(): number;
  waiting(): number;
};

export function createPlaces(most: number): Places {
  let busy = 0;
  const queue: (() => void)[] = [];

  const giveBack = () => {
    busy -= 1;
    queue.shift()?.();
  };
  const occupy = () => {
    busy += 1;
    let isHeld = true;
    return () => {
      if (isHeld) giveBack();
      isHeld = false;
    };
  };

  return {
    busy: () => busy,
    waiting: () => queue.length,
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (busy < most) return Promise.resolve(occupy());
      return new Promise((resolve, reject) => {
        const begin = () => {
          signal.removeEventListener('abort', leave);
          resolve(occupy());
        };
        const leave = () => {
          queue.splice(queue.indexOf(begin), 1);
          reject(signal.reason);
        };
        queue.push(begin);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
