// The open list, or the input that is picked from, in any document of a page.

import type { Box } from '@pilothouse/bus';
import { bestEffort } from '../common/best-effort.ts';
import type { Deadline } from '../common/deadline.ts';
import { type OpenFieldHere, readOpenField } from './injected/read-open-field.ts';
import { type FieldUse, type FieldUsed, useOpenField } from './injected/use-open-field.ts';
import { positionOf } from './worlds/frame-position.ts';
import type { World } from './worlds/world.ts';
import type { View } from './worlds/worlds.ts';

export type OpenField = {
  field: OpenFieldHere;
  /** In pixels of the page. */
  box: Box;
  /** Of the document that it is in. */
  world: World;
  use(use: FieldUse, deadline: Deadline): Promise<FieldUsed>;
};

/** The page's own document has to answer; a frame that does not has nothing open. */
export async function findOpenField(views: View[], deadline: Deadline): Promise<OpenField | undefined> {
  const found = await Promise.all(
    views.map((view) => {
      const read = openFieldIn(view, deadline);
      return view.parent ? bestEffort('look for an open list in a frame', read) : read;
    }),
  );
  return found.find((one) => one !== undefined);
}

async function openFieldIn(view: View, deadline: Deadline): Promise<OpenField | undefined> {
  const { world } = view;
  const field = await world.run(readOpenField, [], deadline);
  const position = field && (await positionOf(view, deadline));
  if (!field || !position) return undefined;
  return {
    field,
    box: position.boxInPage(field.box),
    world,
    use: (use, within) => world.run(useOpenField, [field.number, use], within),
  };
}
