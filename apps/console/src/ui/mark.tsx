// The mark of Pilothouse: a compass ring, open at the top, with a heading in the gap.

export function Mark({ size = 26, className }: { size?: number; className?: string }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} fill="none" aria-hidden="true" className={className}>
      <path d="M21.6 6.9A11 11 0 1 1 10.4 6.9" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round" />
      <path d="m16 2.6 3.6 7.2h-7.2z" fill="currentColor" />
      <circle cx="16" cy="16.5" r="3" fill="currentColor" />
    </svg>
  );
}
