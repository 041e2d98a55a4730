// Shares a session to be watched: a link that ends by itself, or when it is taken back.

import { Share2 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';

const ShareForm = lazy(() => import('./share-form.tsx'));

export function SharePopover({ sessionId, isShared }: { sessionId: string; isShared: boolean }) {
  return (
    <Popover
      label="Share to watch"
      className="w-96"
      trigger={
        <Button size="sm" icon={Share2} aria-label="Share">
          <span className="narrow:hidden">Share</span>
        </Button>
      }
    >
      <Suspense fallback={<div className="h-40" />}>
        <ShareForm sessionId={sessionId} isShared={isShared} />
      </Suspense>
    </Popover>
  );
}
