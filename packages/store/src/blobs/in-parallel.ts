// Does the work for each item, with at most `atOnce` items under way. After a failure no further item begins; the failure is
// thrown when those under way have ended.

export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  let failure: { error: unknown } | undefined;
  const lane = async () => {
    for (const item of left) {
      if (failure) return;
      await work(item).catch((error) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  if (failure) throw failure.error;
}
