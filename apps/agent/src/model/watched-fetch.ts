// A fetch for one call of a model: ends an answer that stands still or never ends, and follows no redirect with a key.

/** An answer of a model is a few kilobytes; more than this is not read. */
const maxAnswerBytes = 8 * 1024 * 1024;

export class AnswerStalled extends Error {}
export class AnswerTooLong extends Error {}

/** `ending` is of the signal that the call is begun with: it is aborted with the reason why the answer is ended. */
export function watchedFetch(stalledMs: number, ending: AbortController): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' });
    if (!response.body) return response;
    const body = response.body.pipeThrough(watch(stalledMs, ending));
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

function watch(stalledMs: number, ending: AbortController): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const rewind = () => {
    stop();
    timer = setTimeout(() => ending.abort(new AnswerStalled()), stalledMs);
    // After a cut connection nothing stops it, and it ends a call that has ended.
    timer.unref();
  };
  ending.signal.addEventListener('abort', stop, { once: true });
  return new TransformStream({
    start: rewind,
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      rewind();
      if (bytes > maxAnswerBytes) ending.abort(new AnswerTooLong());
      controller.enqueue(chunk);
    },
    flush: stop,
  });
}
