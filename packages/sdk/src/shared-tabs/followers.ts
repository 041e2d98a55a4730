// The followers of a shared bundle, by their position in their streams: followers at the same position share one
// stream.

import type { BundledEvent } from '@pilothouse/contract';
import { cursorAfter, isLast } from '../streams/bundle.ts';
import type { ConnectionState, StreamEvent } from '../streams/stream.ts';
import { noRefusal } from './bundle-request.ts';
import type { Follower, Tab } from './follower.ts';
import type { Refusal, StreamRequest } from './messages.ts';

type StreamPosition = Pick<StreamRequest, 'kind' | 'id' | 'cursor'>;
/** One position in one stream, and all followers that are there. */
export type SharedPosition = StreamPosition & {
  name: string;
  followers: Set<Follower>;
  /** Shown to a follower that joins at this position: the newest frame, and the number of viewers. */
  latest: Map<string, StreamEvent>;
};

/** The most streams that the API accepts in one response; a test compares the two. Further streams wait. */
export const maxCarried = 100;
/** The most positions of one stream. Tabs at further positions take turns, until they are at the same position. */
export const maxPositions = 4;

export function createFollowers({ onChange }: { onChange: () => void }) {
  const positions = new Map<string, SharedPosition>();
  let names = 0;
  let state: ConnectionState | undefined;

  function refuse(position: SharedPosition, refusal: Refusal): void {
    positions.delete(position.name);
    for (const follower of position.followers) follower.refuse(refusal);
  }

  return {
    isEmpty: () => positions.size === 0,
    tabs: (): Set<Tab> => new Set([...positions.values()].flatMap((one) => [...one.followers].map(({ tab }) => tab))),
    refuse,

    add(follower: Follower, { kind, id, cursor }: StreamPosition): void {
      const present = [...positions.values()].find((position) => isSame(position, { kind, id, cursor }));
      if (present) {
        present.followers.add(follower);
        if (state) follower.tellState(state);
        for (const event of present.latest.values()) follower.tell(event, undefined);
        return;
      }
      names += 1;
      const name = `${kind}:${id}~${names}`;
      positions.set(name, { name, kind, id, cursor, followers: new Set([follower]), latest: new Map() });
      onChange();
    },

    remove(follower: Follower): void {
      for (const position of positions.values()) {
        if (!position.followers.delete(follower) || position.followers.size > 0) continue;
        positions.delete(position.name);
        onChange();
      }
    },

    /** The positions that the next response carries, and those of them that have to give way after a turn. */
    choose: () => chooseCarried([...positions.values()]),

    /** They continue from their cursors when it is their turn again. */
    moveToEnd(giving: readonly SharedPosition[]): void {
      for (const one of giving) if (positions.delete(one.name)) positions.set(one.name, one);
    },

    /** Without positions, to all followers. */
    tellState(next: ConnectionState, at: Iterable<SharedPosition> = positions.values()): void {
      state = next;
      for (const { followers } of at) for (const follower of followers) follower.tellState(next);
    },
    forgetState(): void {
      state = undefined;
    },

    receive(event: BundledEvent): void {
      const position = positions.get(event.stream);
      // It was left, or merged with another, while the response still carries it.
      if (!position) return;
      if (event.type === 'refused') {
        refuse(position, { ...noRefusal, problem: event.problem });
        return;
      }
      const cursor = cursorAfter(event);
      position.cursor = cursor ?? position.cursor;
      const { type } = event.event;
      if (type === 'frame' || type === 'viewers') position.latest.set(type, event.event);
      for (const follower of [...position.followers]) follower.tell(event.event, cursor);
      if (isLast(event)) positions.delete(position.name);
      // After a reset the server goes on with a stream that no follower asked for.
      if (type === 'reset') onChange();
      else if (cursor !== undefined && joinSame(positions, position)) onChange();
    },
  };
}

/** Two positions of one stream that have become the same get the same events from now on: one is enough. */
function joinSame(positions: Map<string, SharedPosition>, position: SharedPosition): boolean {
  const same = [...positions.values()].find((other) => other !== position && isSame(other, position));
  if (!same || !positions.has(position.name)) return false;
  for (const follower of position.followers) same.followers.add(follower);
  return positions.delete(position.name);
}

function chooseCarried(all: SharedPosition[]): { carried: SharedPosition[]; giving: SharedPosition[] } {
  const byStream = Map.groupBy(all, ({ kind, id }) => `${kind}:${id}`);
  const fitting = new Set([...byStream.values()].flatMap((same) => same.slice(0, maxPositions)));
  const carried = all.filter((position) => fitting.has(position)).slice(0, maxCarried);
  const isAwaited = ({ kind, id }: StreamPosition) => (byStream.get(`${kind}:${id}`)?.length ?? 0) > maxPositions;
  return { carried, giving: carried.filter(isAwaited) };
}

/** Cursors are opaque, but equal cursors are the same position; so are two without a cursor. */
const isSame = (one: StreamPosition, other: StreamPosition) =>
  one.cursor === other.cursor && one.kind === other.kind && one.id === other.id;
