// The shape of what is being read. Nothing is shown for the first 300 ms.

import { useEffect, useState } from 'react';
import { cx } from './class-names.ts';

export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cx('block rounded-1 bg-sunken', useIsLate() ? 'visible' : 'invisible', className)} />
  );
}

function useIsLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}
