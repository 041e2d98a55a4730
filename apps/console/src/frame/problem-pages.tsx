// What is shown for an address that is no page, and where a page failed.

import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useEffect } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { ReadError } from './read-error.tsx';

export function NotFoundPage() {
  useEffect(() => {
    document.title = 'Not found · Pilothouse';
  }, []);
  return (
    <main className="grid min-h-0 flex-1 place-content-center">
      <Empty icon={Compass} title="There is no such page" text="The address may be old, or mistyped.">
        <Link to="/" className={buttonClass()}>
          Go to the first page
        </Link>
      </Empty>
    </main>
  );
}

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <main className="grid min-h-dvh place-content-center">
      <ReadError what="This page" error={error} onRetry={again} />
    </main>
  );
}
