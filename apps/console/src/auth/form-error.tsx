// What is wrong with a form as a whole. Spoken when it appears.

import { TriangleAlert } from 'lucide-react';

export function FormError({ text }: { text: string | undefined }) {
  return (
    <div role="alert" className={text ? '' : 'hidden'}>
      {text && (
        <p className="flex items-start gap-2 rounded-2 bg-bad-soft px-3 py-2 text-bad-ink">
          <TriangleAlert size={16} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0" />
          {text}
        </p>
      )}
    </div>
  );
}
