// One of several streams in a response. It looks like a stream of its own: it ends alone, and its frames have a slot of their own.

import { type Encoded, type EventStream, encodeBundled, encodeEvent } from '../sse/event-stream.ts';

export function openStrand(whole: EventStream, { kind, name }: { kind: string; name: string }): EventStream {
  const onEnd: (() => void)[] = [];
  let isEnded = false;
  const close = () => {
    if (isEnded) return;
    isEnded = true;
    for (const callback of onEnd) callback();
  };
  whole.onEnd(close);
  const bundled = (event: Encoded) => encodeBundled(kind, name, Buffer.isBuffer(event) ? event : Buffer.concat(event));
  const sendEncoded = (event: Encoded) => {
    if (!isEnded) whole.sendEncoded(bundled(event));
  };
  return {
    isEnded: () => isEnded,
    onEnd: (callback) => (isEnded ? callback() : void onEnd.push(callback)),
    sendEncoded,
    send: (event) => sendEncoded(encodeEvent(event)),
    offer(event, slot = '') {
      if (!isEnded) whole.offer(bundled(event), slot === '' ? name : `${name} ${slot}`);
    },
    close,
  };
}
