// Text that the page copied, on its way to the clipboard of the person who drives.

import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { CopiedText } from '../live/api-types.ts';
import { Button, IconButton } from '../ui/button.tsx';

type CopiedChipProps = {
  copied: CopiedText;
  /** Gives the keys back to the page. */
  onDone: () => void;
};

const shownMs = 3000;

/** A browser may want a press of the person first: then the chip stays, and its button does it. */
export function CopiedChip({ copied, onDone }: CopiedChipProps) {
  const { text, truncated } = copied;
  const [state, setState] = useState<'trying' | 'refused' | 'done' | 'gone'>('trying');
  useEffect(() => {
    let isLeft = false;
    const become = (next: 'done' | 'refused') => !isLeft && setState(next);
    setState('trying');
    write(copied.text).then(
      () => become('done'),
      () => become('refused'),
    );
    return () => {
      isLeft = true;
    };
  }, [copied]);
  useEffect(() => {
    if (state !== 'done') return;
    const timer = setTimeout(() => setState('gone'), shownMs);
    return () => clearTimeout(timer);
  }, [state]);

  const close = () => {
    setState('gone');
    onDone();
  };
  const press = async () => {
    await write(text).catch(() => writeBySelection(text));
    setState('done');
    onDone();
  };
  if (state === 'trying' || state === 'gone') return null;
  return (
    <div
      role="status"
      data-testid="copied"
      data-state={state}
      className="absolute top-3 right-3 flex max-w-[calc(100%-24px)] items-center gap-2 rounded-3 bg-raised py-1.5 pr-1.5 pl-3 text-12 text-ink shadow-float"
    >
      {state === 'done' ? (
        <>
          <Check size={14} strokeWidth={2} aria-hidden className="text-good-ink" />
          <span className="pr-1.5">{truncated ? 'The first 64 KiB are on your clipboard' : 'On your clipboard'}</span>
        </>
      ) : (
        <>
          <span className="shrink-0">Copied in the page:</span>
          <bdi className="max-w-40 min-w-0 truncate text-ink-2">{text.slice(0, 80)}</bdi>
          <Button size="sm" icon={Copy} onClick={() => void press()}>
            Copy
          </Button>
          <IconButton size="sm" icon={X} label="Do not copy" onClick={close} />
        </>
      )}
    </div>
  );
}

async function write(text: string): Promise<void> {
  // Without TLS a page has no clipboard.
  if (!navigator.clipboard) throw new Error('no clipboard');
  await navigator.clipboard.writeText(text);
}

function writeBySelection(text: string): void {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
