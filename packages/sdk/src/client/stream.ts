// The methods that follow a stream: over a connection of their own, or over one that all tabs share.

import { type BundledKind, ownInbox, type WireRoute, wireRoutes } from '@pilothouse/contract/wire';
import type { createSharedStreams } from '../shared-tabs/tab.ts';
import { followBundle } from '../streams/bundle.ts';
import { isKnown, kindsOf } from '../streams/event-kinds.ts';
import { follow, type Position, type StreamOptions } from '../streams/stream.ts';
import type { Input, OpenRequest } from './call.ts';

type Options = {
  open: OpenRequest;
  shared: ReturnType<typeof createSharedStreams> | undefined;
  shareToken: string | undefined;
};

export function createStream({ open, shared, shareToken }: Options) {
  /** The kind under which a stream can be shared; undefined if it cannot. */
  const sharedKindOf = (route: WireRoute): BundledKind | undefined => {
    if (route === wireRoutes.followSession) return 'live';
    // A share opens sessions only.
    if (shareToken !== undefined) return undefined;
    return route.stream === 'task' || route.stream === 'inbox' ? route.stream : undefined;
  };

  return (route: WireRoute, { cursor, ...input }: Input = {}, { headers, ...options }: StreamOptions = {}) => {
    const openStream = (sent: Input, signal: AbortSignal, lastEventId?: string) => {
      const all = new Headers(headers);
      all.set('accept', 'text/event-stream');
      if (lastEventId !== undefined) all.set('last-event-id', lastEventId);
      return open({ route, input: sent, headers: all, signal });
    };
    if (route.stream === 'bundle') {
      const connect = (streams: string[], signal: AbortSignal) => openStream({ stream: streams }, signal);
      // As the type of the method has it.
      return followBundle({ ...options, streams: input.stream as string[], connect, isKnown });
    }
    const kinds = kindsOf(route.stream);
    const alone = (from: unknown) => {
      const connect = (position: Position, signal: AbortSignal) =>
        openStream({ ...input, cursor: position.cursor }, signal, position.lastEventId);
      return follow({ ...options, connect, kinds, cursor: from as string | undefined });
    };
    const kind = sharedKindOf(route);
    // A stream with headers of its own cannot share a request.
    if (!shared || !kind || headers) return alone(cursor);
    const id = kind === 'inbox' ? ownInbox : String(input.id);
    const wanted = { kind, id, cursor: cursor as string | undefined };
    return shared.follow(wanted, { ...options, kinds, alone });
  };
}
