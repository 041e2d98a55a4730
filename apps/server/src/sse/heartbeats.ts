// Comments on idle streams, so that proxies and viewers know that they are alive. One timer for all streams.

type BeatingStream = { beat(): void };

const everySecs = 15;
/** One group of streams each second: all at once would delay other work. */
const turns = Array.from({ length: everySecs }, () => new Set<BeatingStream>());
let turn = 0;
let timer: NodeJS.Timeout | undefined;

/** Calls `beat` every 15 s, until the stream is deleted from the returned set. */
export function startBeating(stream: BeatingStream): Set<BeatingStream> {
  timer ??= setInterval(beatNext, 1000).unref();
  return (turns[turn] as Set<BeatingStream>).add(stream);
}

function beatNext(): void {
  turn = (turn + 1) % everySecs;
  for (const stream of turns[turn] as Set<BeatingStream>) stream.beat();
  if (turns.some(({ size }) => size > 0)) return;
  clearInterval(timer);
  timer = undefined;
}
