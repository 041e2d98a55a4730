// When a yes can be pressed: after all parts of the card were in sight, and its buttons stayed there for a moment. A card that
// comes under the pointer of a person who is about to click must not be answered by that click.

/** Long enough to notice that something else is there now. */
export const armMs = 800;

type ArmingOptions = { parts: readonly string[]; armMs?: number; onArmed: () => void };
export type Arming = {
  /** A part came into sight, or left it. The last part is the one that has to stay. */
  sees(part: string, isInSight: boolean): void;
  /** The whole page is shown, or hidden behind another. */
  shows(isShown: boolean): void;
  close(): void;
};

/** Once armed, it stays so: another approval has an arming of its own. */
export function createArming({ parts, armMs: waitMs = armMs, onArmed }: ArmingOptions): Arming {
  const inSight = new Set<string>();
  const unseen = new Set(parts);
  const last = parts.at(-1) ?? '';
  let isShown = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const look = () => {
    if (isShown) for (const part of inSight) unseen.delete(part);
    if (isOver || !isShown || !inSight.has(last) || unseen.size > 0) return stop();
    timer ??= setTimeout(() => {
      isOver = true;
      onArmed();
    }, waitMs);
  };
  return {
    sees(part, isInSight) {
      if (isInSight) inSight.add(part);
      else inSight.delete(part);
      look();
    },
    shows(next) {
      isShown = next;
      look();
    },
    close() {
      isOver = true;
      stop();
    },
  };
}
