// When a yes can be pressed: after every part of the card was in sight for a moment. A card that comes under the pointer of a
// person who is about to click must not be answered by that click.

/** Long enough to notice that something else is there now. */
export const armMs = 800;

type ArmingOptions = { parts: readonly string[]; onArmed: () => void };
export type Arming = {
  /** A part came into sight, or left it. */
  sees(part: string, isInSight: boolean): void;
  /** The whole page is shown, or hidden behind another. */
  shows(isShown: boolean): void;
  close(): void;
};

/** Once armed, it stays so: another approval has an arming of its own. */
export function createArming({ parts, onArmed }: ArmingOptions): Arming {
  const unseen = new Set(parts);
  const inSight = new Set<string>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let isShown = true;
  const stop = (part: string) => {
    clearTimeout(timers.get(part));
    timers.delete(part);
  };
  const seen = (part: string) => {
    unseen.delete(part);
    if (unseen.size === 0) onArmed();
  };
  const look = (part: string) => {
    if (!unseen.has(part) || !isShown || !inSight.has(part)) stop(part);
    else if (!timers.has(part))
      timers.set(
        part,
        setTimeout(() => seen(part), armMs),
      );
  };
  return {
    sees(part, isInSight) {
      if (isInSight) inSight.add(part);
      else inSight.delete(part);
      look(part);
    },
    shows(next) {
      isShown = next;
      for (const part of parts) look(part);
    },
    close() {
      for (const part of parts) stop(part);
      unseen.clear();
    },
  };
}
