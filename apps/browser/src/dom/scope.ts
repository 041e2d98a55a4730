// In which documents something is looked for, and in which order: an advertisement may call its things whatever it likes.

import { type Deadline, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { positionOf } from './worlds/frame-position.ts';
import { readFrameName } from './worlds/site.ts';
import { frameMs, type View } from './worlds/worlds.ts';

export type Scope = {
  /** What fits in one group counts only where nothing at all fits in those before. */
  groups: View[][];
  /** Documents of other sites, which the step does not name. */
  others: View[];
  /** Whether the step says by their host whose documents these are. */
  isByHost: boolean;
};

/** The page, then its frames of the same site. */
export function scopeOfPage([main, ...frames]: View[]): Scope {
  if (!main) return { groups: [], others: [], isByHost: false };
  const own = frames.filter((view) => isOfSite(view, main));
  const others = frames.filter((view) => !own.includes(view));
  return { groups: [[main], own], others, isByHost: false };
}

/** Whether a document is of the same site as one around it, and so is all between: only then may it stand for it. */
export function isOfSite(view: View, outer: View): boolean {
  if (view === outer) return true;
  return (
    view.parent !== undefined && view.site !== undefined && view.site === outer.site && isOfSite(view.parent, outer)
  );
}

/** Undefined while there is no such frame, or another of the title may come. Throws `ambiguous` where two have it. */
export async function scopeOfFrame(text: string, views: View[], deadline: Deadline): Promise<Scope | undefined> {
  const name = readFrameName(text);
  const frames = views.slice(1);
  const served = frames.filter(({ from }) => from && name.from?.isOf(from));
  if (served.length > 0) return { groups: [served], others: [], isByHost: true };
  if (!name.mayBeTitle) return undefined;
  const wanted = name.text.replace(/\s+/g, ' ').trim().toLowerCase();
  const bounded = deadline.atMost(frameMs);
  // The document around a frame gives it its title. An advertisement may call its own frames whatever it likes, so only
  // documents of the page's site are believed.
  const own = views.filter((view) => isOfSite(view, outermost(view)));
  const [titled, shown] = await Promise.all([
    framesTitled(
      wanted,
      frames.filter(({ parent }) => parent && own.includes(parent)),
      bounded,
    ),
    framesShown(wanted, own, bounded),
  ]);
  // A frame that does not answer is not among the titled ones. It must not leave its title to the one that does.
  const count = Math.max(titled.length, shown.count);
  if (count > 1) throw new StepFailure('ambiguous', `${count} frames are called so${hostsOf(titled)}`);
  const [frame] = titled;
  if (!frame || (!shown.isWhole && !isOfSite(frame, outermost(frame)))) return undefined;
  const inner = frames.filter((view) => view !== frame && isOfSite(view, frame));
  return { groups: [[frame], inner], others: [], isByHost: false };
}

const outermost = (view: View): View => (view.parent ? outermost(view.parent) : view);

function hostsOf(views: View[]): string {
  const hosts = new Set(views.flatMap(({ from }) => from?.host ?? []));
  return hosts.size > 1 ? `; their hosts tell them apart: ${[...hosts].slice(0, 5).join(', ')}` : '';
}

/** The frames that can be seen and bear this title. */
async function framesTitled(wanted: string, frames: View[], deadline: Deadline): Promise<View[]> {
  const isTitled = async (view: View): Promise<boolean> => {
    const owner = (await positionOf(view, deadline))?.owner;
    const names = owner && (await view.parent?.world.call('frameNames', [owner], deadline));
    return names?.some((name) => name.toLowerCase() === wanted) ?? false;
  };
  // A frame that hangs or goes away hides nothing of the rest.
  const found = await within(deadline, Promise.allSettled(frames.map(isTitled)));
  return frames.filter((_, index) => {
    const one = found[index];
    return one?.status === 'fulfilled' && one.value;
  });
}

/** The same as the documents around the frames know it. `isWhole`: each has answered, and none is still being parsed. */
async function framesShown(wanted: string, views: View[], deadline: Deadline) {
  const count = async (view: View) =>
    (await positionOf(view, deadline)) ? view.world.call('framesCalled', [wanted], deadline) : undefined;
  const found = await within(deadline, Promise.allSettled(views.map(count)));
  const counted = found.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []));
  const isWhole = found.every((one) => one.status === 'fulfilled') && counted.every((one) => one.isWhole);
  return { count: counted.reduce((sum, one) => sum + one.count, 0), isWhole };
}
