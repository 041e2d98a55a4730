// Events, frames and snapshots as bytes of a stream. Each event is encoded once, and its bytes are shared.

import type { StoredEvent } from '@pilothouse/store';
import { encodeEvent, encodeWithBytes } from '../sse/event-stream.ts';
import { cursorOf } from './cursor.ts';
import { viewLiveEvent, viewTaskEvent, type WireEvent } from './events.view.ts';
import { type SeenSnapshot, viewSnapshot } from './seen-snapshot.ts';
import { shareEvent } from './share.view.ts';
import type { Picture } from './withheld.ts';

type EncodedEvent = { type: string; bytes: Buffer };

/** The hub delivers the same event object to all listeners: the first one causes the encoding. */
function encodeOnce(view: (event: StoredEvent) => WireEvent | undefined) {
  const made = new WeakMap<StoredEvent, EncodedEvent | null>();
  return (event: StoredEvent): EncodedEvent | null => {
    const known = made.get(event);
    if (known !== undefined) return known;
    const data = view(event);
    const encoded = data
      ? { type: data.type, bytes: encodeEvent({ id: cursorOf(event.seq), type: data.type, data }) }
      : null;
    made.set(event, encoded);
    return encoded;
  };
}

/** Null for kinds that the stream of a task does not have. */
export const encodeTaskEvent = encodeOnce(viewTaskEvent);
/** The same for the stream of a session, for users and for guests. */
export const encodeLiveEvent = encodeOnce(viewLiveEvent);
export const encodeSharedEvent = encodeOnce(shareEvent);

/** The picture is the last field, so that its base64 is never a string of its own. */
export function encodeFrame({ view, image }: Picture): Buffer {
  const json = JSON.stringify({ type: 'frame', frame: { ...view, screenshot_base64: '' } });
  const end = json.length - '"}}'.length;
  return encodeWithBytes('frame', { before: json.slice(0, end), image, after: json.slice(end) });
}

/** The first event of a session's stream. */
export async function encodeSnapshot(seen: SeenSnapshot): Promise<Buffer> {
  const { snapshot, picture } = seen;
  if (!picture)
    return encodeEvent({ type: 'snapshot', data: { type: 'snapshot', snapshot: viewSnapshot(seen, none) } });
  const image = Buffer.concat(await Array.fromAsync(picture.image.read()));
  // The picture is the last field, as in a frame.
  const last_frame = { ...picture.view, screenshot_base64: '' };
  const json = JSON.stringify({ type: 'snapshot', snapshot: { ...snapshot, last_frame } });
  const end = json.length - '"}}}'.length;
  return encodeWithBytes('snapshot', { before: json.slice(0, end), image, after: json.slice(end) });
}
const none = () => '';
