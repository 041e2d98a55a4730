// The live stream of a session: a snapshot unless the cursor is known, then every event and the newest frames.

import { type Caller, type Guest, isGuest, type ReadSession, type Store, type StoredEvent } from '@pilothouse/store';
import { faultOf, readCursor } from '../live/cursor.ts';
import { encodeLiveEvent, encodeSharedEvent, encodeSnapshot } from '../live/encode.ts';
import type { EventHub } from '../live/event-hub.ts';
import type { FrameHub } from '../live/frame-hub.ts';
import type { ViewerCount } from '../live/viewer-count.ts';
import type { EventStream } from '../sse/event-stream.ts';
import { type SessionReads, userIdOf } from './session-reads.ts';

type Options = { store: Store; reads: SessionReads; events: EventHub; frames: FrameHub; viewers: ViewerCount };
/** The bytes of a snapshot, and the place in the log where the stream goes on. */
type StreamStart = { bytes: Buffer; seq: number };

export function createSessionStream({ store, reads, events, frames, viewers }: Options) {
  const startOf = createStreamStarts(reads);

  /** Sends events, and has the frame hub look again when the browser or its driver may have changed. */
  const sendEvents = (caller: Caller | Guest, sessionId: string, stream: EventStream) => (added: StoredEvent[]) => {
    for (const event of added) {
      const encoded = isGuest(caller) ? encodeSharedEvent(event) : encodeLiveEvent(event);
      if (!encoded) continue;
      stream.sendEncoded(encoded.bytes);
      if (encoded.type === 'status' || encoded.type === 'takeover') frames.refresh(sessionId);
    }
  };

  /** Refuses before the stream begins; what it returns writes the stream. */
  return async function follow(caller: Caller | Guest, id: string, cursor: string | undefined) {
    const session = await reads.require(caller, id);
    // A share shows what happens from its beginning on, and nothing before.
    const begin = isGuest(caller) ? caller.fromSeq : 0;
    const kept = await store.events.keptOf(id);
    const fault = faultOf(cursor, kept, begin);
    const given = readCursor(cursor);
    const isKnown = given !== undefined && !fault;

    return async (stream: EventStream): Promise<void> => {
      // What a purge removed may still be in memory here.
      let from = Math.max(given ?? 0, begin, kept.first - 1);
      if (!isKnown) {
        if (fault) stream.send({ type: 'reset', data: { type: 'reset', reason: fault } });
        const start = await startOf(caller, session);
        stream.sendEncoded(start.bytes);
        from = start.seq;
      }
      if (stream.isEnded()) return;
      const userId = userIdOf(caller);
      const viewer = { userId, isOwner: userId === session.owner_id };
      const onView = (bytes: Buffer, slot: string) => stream.offer(bytes, slot);
      frames.watch(id, { ...viewer, onFrame: (bytes) => stream.offer(bytes), onView }, stream);
      const onCount = (count: number) => stream.send({ type: 'viewers', data: { type: 'viewers', viewers: count } });
      viewers.join(id, onCount, stream);
      await events.follow(id, from, sendEvents(caller, id, stream), stream);
    };
  };
}
export type FollowSession = ReturnType<typeof createSessionStream>;

/**
 * Streams of one caller that begin together, as those of a bundle do, get the same snapshot: events since then follow
 * its cursor anyway.
 */
function createStreamStarts(reads: SessionReads) {
  const starts = new Map<string, Promise<StreamStart>>();

  async function make(caller: Caller | Guest, session: ReadSession): Promise<StreamStart> {
    const seen = await reads.snapshotFor(caller, session);
    return { bytes: await encodeSnapshot(seen), seq: readCursor(seen.snapshot.cursor) ?? 0 };
  }

  return (caller: Caller | Guest, session: ReadSession): Promise<StreamStart> => {
    const key = `${session.id} ${isGuest(caller) ? `share ${caller.shareId}` : caller.id}`;
    const start = starts.get(key) ?? make(caller, session).finally(() => starts.delete(key));
    starts.set(key, start);
    return start;
  };
}
