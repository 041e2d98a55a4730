import type { StoredEvent } from '@pilothouse/store';
import { encodeEvent, encodeWithBytes } from '../http/event-stream.ts';
import { cursorOf } from './cursor.ts';
import { viewLiveEvent, viewTaskEvent, type WireEvent } from './events.view.ts';
import { shareEvent } from './share.view.ts';
import type { Picture } from './withheld.ts';

type Encoded = { type: string; bytes: Buffer };

/** The hub hands the same event to all who follow: its bytes are made for the first of them, and shared. */
function encodeOnce(view: (event: StoredEvent) => WireEvent | undefined) {
  const made = new WeakMap<StoredEvent, Encoded | null>();
  return (event: StoredEvent): Encoded | null => {
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

/** As the stream of a task has it; nothing, for what is none of its kinds. */
export const encodeTaskEvent = encodeOnce(viewTaskEvent);
/** The same for the stream of a session, and for guests of it. */
export const encodeLiveEvent = encodeOnce(viewLiveEvent);
export const encodeSharedEvent = encodeOnce(shareEvent);

/** The picture is the last field, so that its text need never be a string of its own. */
export function encodeFrame({ view, image }: Picture): Buffer {
  const json = JSON.stringify({ type: 'frame', frame: { ...view, screenshot_base64: '' } });
  const end = json.length - '"}}'.length;
  return encodeWithBytes('frame', { before: json.slice(0, end), image, after: json.slice(end) });
}
