// Gives up on work that takes too long. The work itself may go on: close what it uses.

export async function withDeadline<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // The longest timer of Node is 24 days.
    timer = setTimeout(
      () => reject(new Error(`${what} did not end within ${timeoutMs} ms`)),
      Math.min(timeoutMs, 2 ** 31 - 1),
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
