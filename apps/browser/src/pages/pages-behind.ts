// Reports pages that were opened without a touch and are not shown: at once, and then at most once in an interval, because
// a page may open others without end.

const defaultEveryMs = 10_000;

export function createBehind(tell: (count: number) => void, everyMs = defaultEveryMs) {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (count === 0) return;
    tell(count);
    count = 0;
    timer = setTimeout(flush, everyMs).unref();
  }

  return {
    add(): void {
      count += 1;
      if (!timer) flush();
    },
    close: () => clearTimeout(timer),
  };
}
