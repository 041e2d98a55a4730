// Times and spans in words.

/** `2:38`, and `1:02:38` from an hour on. */
export function describeClock(ms: number): string {
  const secs = Math.max(0, Math.floor(ms / 1000));
  const two = (count: number) => String(count).padStart(2, '0');
  const [hours, minutes] = [Math.floor(secs / 3600), Math.floor(secs / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(secs % 60)}` : `${minutes}:${two(secs % 60)}`;
}

/** `0.4 s` below ten seconds, `12 s` below two minutes, a clock above. */
export function describeSpan(ms: number): string {
  if (ms < 9950) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  return ms < 119_500 ? `${Math.round(ms / 1000)} s` : describeClock(ms);
}

/** `12 s`, `5 min`, `2 h` or `3 days`: how old something is. */
export function describeAge(recordedAt: string, now: number): string {
  const secs = Math.max(0, Math.round((now - Date.parse(recordedAt)) / 1000));
  if (secs < 120) return `${secs} s`;
  if (secs < 7200) return `${Math.round(secs / 60)} min`;
  return secs < 172_800 ? `${Math.round(secs / 3600)} h` : `${Math.round(secs / 86_400)} days`;
}

/** `14:29`, in the time zone of the person. */
export function describeTimeOfDay(at: string | number, withSeconds = false): string {
  const second = withSeconds ? ('2-digit' as const) : undefined;
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second });
}
