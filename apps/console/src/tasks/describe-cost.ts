// What a model used, in few words.

/** `820`, `18.2k`, `1.3M`. */
export function describeTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 999_950 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1e6).toFixed(1)}M`;
}

/** Of millionths of a dollar: `$1.20`; below ten cents with more digits, `$0.034` and `$0.0004`. */
export function describeDollars(micros: number): string {
  const dollars = micros / 1e6;
  if (dollars < 0.0001) return 'under $0.0001';
  return `$${dollars.toFixed(dollars >= 0.1 ? 2 : dollars >= 0.001 ? 3 : 4)}`;
}
