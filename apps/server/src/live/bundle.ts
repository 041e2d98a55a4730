import { type EventStream, encodeBundled, encodeEvent } from '../http/event-stream.ts';

/**
 * One of several streams that share a response. To whoever speaks on it, it is a stream like any other: it is closed
 * without the others, and its frames wait for themselves.
 */
export function openStrand(whole: EventStream, { kind, name }: { kind: string; name: string }): EventStream {
  const onEnd: (() => void)[] = [];
  let isEnded = false;
  const close = () => {
    if (isEnded) return;
    isEnded = true;
    for (const callback of onEnd) callback();
  };
  whole.onEnd(close);
  const sendEncoded = (bytes: Buffer) => {
    if (!isEnded) whole.sendEncoded(encodeBundled(kind, name, bytes));
  };
  return {
    isEnded: () => isEnded,
    onEnd: (callback) => (isEnded ? callback() : void onEnd.push(callback)),
    sendEncoded,
    send: (event) => sendEncoded(encodeEvent(event)),
    offer(bytes) {
      if (!isEnded) whole.offer(encodeBundled(kind, name, bytes), name);
    },
    close,
  };
}
