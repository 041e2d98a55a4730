type Beating = { beat(): void };

const everySecs = 15;
/** Each second is the turn of one of them: everybody at once would make all else wait. */
const turns = Array.from({ length: everySecs }, () => new Set<Beating>());
let turn = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Lets a stream say every 15 s that it is still there, until it is deleted from what is returned. One timer for all of
 * them, while there are any: streams are many.
 */
export function startBeating(stream: Beating): Set<Beating> {
  timer ??= setInterval(beatNext, 1000).unref();
  return (turns[turn] as Set<Beating>).add(stream);
}

function beatNext(): void {
  turn = (turn + 1) % everySecs;
  for (const stream of turns[turn] as Set<Beating>) stream.beat();
  if (turns.some(({ size }) => size > 0)) return;
  clearInterval(timer);
  timer = undefined;
}
