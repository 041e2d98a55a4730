// Keeps an answer for a short time, for several jobs that ask the same. Those that ask at once share one question.

export function cached<T>(ask: () => Promise<T>, maxAgeMs: number): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (last && now - last.at < maxAgeMs) return last.answer;
    const answer = ask();
    const asked = { at: now, answer };
    last = asked;
    // What failed is asked again by the next job.
    answer.catch(() => {
      if (last === asked) last = undefined;
    });
    return answer;
  };
}
