// Puts several lists that are each in the order of time into one. Holds one item of each list, and no more.

type Timed = { at: Date };

/** Of the same time, the item of the earlier list comes first. All lists are closed at the end, also when it is left early. */
export async function* mergeByTime<Item extends Timed>(lists: readonly AsyncIterable<Item>[]): AsyncGenerator<Item> {
  const iterators = lists.map((list) => list[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()));
    for (;;) {
      const first = earliestOf(heads);
      const head = heads[first];
      const iterator = iterators[first];
      if (!head || head.done || !iterator) return;
      yield head.value;
      heads[first] = await iterator.next();
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

function earliestOf(heads: readonly IteratorResult<Timed, unknown>[]): number {
  let first = -1;
  let time = Number.POSITIVE_INFINITY;
  for (const [index, head] of heads.entries()) {
    if (head.done || head.value.at.getTime() >= time) continue;
    [first, time] = [index, head.value.at.getTime()];
  }
  return first;
}
