// Times and lengths in words.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long: `8 s`, `3 min`, `2 h`, `4 days`. */
export function formatLength(ms: number): string {
  if (ms < minuteMs) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`;
  const days = Math.floor(ms / dayMs);
  return days === 1 ? '1 day' : `${days} days`;
}

/** When, seen from now: `just now`, `3 min ago`, `12 Jan`. */
export function formatAgo(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (ms < minuteMs) return 'just now';
  return ms < 7 * dayMs ? `${formatLength(ms)} ago` : formatDay(at, now);
}

/** When it will be: `in 6 days`, `3 Oct 2027`. */
export function formatUntil(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  if (ms <= 0) return 'ended';
  return ms < 7 * dayMs ? `in ${formatLength(ms)}` : formatDay(at, now);
}

/** The day, with its year if that is another one. */
export function formatDay(at: string, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/** The day and the time of day. */
export function formatMoment(at: string, now: number): string {
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? time : `${formatDay(at, now)}, ${time}`;
}
