// Names for elements that outlive one look at the page. None is given twice, so an old one never means another element.

import type { World } from './worlds/world.ts';

export type Refs = {
  /** The ref of the element that has this number in the world. */
  give(world: World, mark: number): string;
  whereIs(ref: string): { world: World; mark: number } | undefined;
  wasGiven(ref: string): boolean;
  /** The number of the last one that was given. */
  last(): number;
};

/** Later ones have higher numbers. */
export const numberOf = (ref: string): number => Number(ref.slice(1));

/** One for all pages of a session: a ref from one page must not mean something on another. */
export function createRefs(): Refs {
  let count = 0;
  const given = new WeakMap<World, Map<number, string>>();
  const places = new Map<string, { world: WeakRef<World>; mark: number }>();
  const gone = new FinalizationRegistry<Map<number, string>>((refs) => {
    for (const ref of refs.values()) places.delete(ref);
  });

  function refsOf(world: World): Map<number, string> {
    const known = given.get(world);
    if (known) return known;
    const refs = new Map<number, string>();
    given.set(world, refs);
    gone.register(world, refs);
    return refs;
  }

  return {
    give(world, mark) {
      const refs = refsOf(world);
      const known = refs.get(mark);
      if (known !== undefined) return known;
      count += 1;
      const ref = `e${count}`;
      refs.set(mark, ref);
      places.set(ref, { world: new WeakRef(world), mark });
      return ref;
    },
    whereIs(ref) {
      const place = places.get(ref);
      const world = place?.world.deref();
      return place && world && { world, mark: place.mark };
    },
    wasGiven: (ref) => /^e[1-9]\d*$/.test(ref) && numberOf(ref) <= count,
    last: () => count,
  };
}
