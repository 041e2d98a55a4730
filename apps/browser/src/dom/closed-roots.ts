// Shadow roots that the page keeps closed: the browser tells of them, and from then on our world sees into them.

import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import type { World } from './worlds/world.ts';

/** Asks for those of the elements of these numbers. True where one was found, so that there is more to see. */
export async function openClosedRoots(world: World, marks: number[], deadline: Deadline): Promise<boolean> {
  const found = await Promise.all(
    marks.map((mark) => bestEffort('look into a closed part', openRoot(world, mark, deadline))),
  );
  return found.includes(true);
}

async function openRoot(world: World, mark: number, deadline: Deadline): Promise<boolean> {
  const host = await world.element(mark, deadline);
  if (!host) return false;
  const { objectId } = host;
  const asked = { objectId, depth: 1, pierce: true };
  const { node } = await within(deadline, world.session.send('DOM.describeNode', asked));
  const closed = node.shadowRoots?.find(({ shadowRootType }) => shadowRootType === 'closed');
  const root = closed && (await world.adopt(closed.backendNodeId, deadline));
  await world.call('setRoot', [host, root ?? null], deadline);
  world.release(host);
  if (root) world.release(root);
  return root !== undefined;
}
