// The line under the picture: what the step is for, or that only the driver sees the page.

import { ShieldCheck } from 'lucide-react';
import { Chip } from '../ui/chip.tsx';

export type CaptionWords = { step?: number; text: string; isPrivate?: boolean; isWaiting?: boolean };

export function Caption({ step, text, isPrivate, isWaiting }: CaptionWords) {
  if (isPrivate)
    return (
      <div data-testid="caption" className="flex min-h-10 flex-1 items-center gap-3 border-t border-line px-4">
        <ShieldCheck size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
        <p className="min-w-0 truncate text-ink-2">
          <b className="font-semibold text-ink">Only you see this page.</b> {text}
        </p>
      </div>
    );
  return (
    <div data-testid="caption" className="flex min-h-10 flex-1 items-center gap-3 border-t border-line px-4">
      {isWaiting && <Chip tone="person">Waits</Chip>}
      {step !== undefined && step > 0 && <Chip tone="agent" className="tabular-nums">{`Step ${step}`}</Chip>}
      <p className="min-w-0 truncate text-ink-2" dir="auto">
        {text}
      </p>
    </div>
  );
}
