// Tells the person who drives, before they type, that a program can read the page in front, and offers a tab that it cannot.

import { EyeOff } from 'lucide-react';
import type { OpenPage, PointerAction } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';

type ProgramNoticeProps = { pages: readonly OpenPage[]; onInput: (action: PointerAction) => void };

export default function ProgramNotice({ pages, onInput }: ProgramNoticeProps) {
  const front = pages.find((page) => page.active);
  if (!front?.open_to_program && !front?.private_tab) return null;
  const isPrivate = front.private_tab === true;
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-3 border-b border-line bg-sunken px-3 py-1 text-13 text-ink-2">
      <EyeOff size={14} strokeWidth={2} aria-hidden className="shrink-0" />
      <span role="status" className="min-w-0 flex-1">
        {isPrivate
          ? 'Private tab: the program does not see it. Cookies are kept when you hand back; the tab then closes.'
          : 'A program is connected: it can read this page and what you type into it.'}
      </span>
      {!isPrivate && (
        <Button size="sm" onClick={() => onInput({ action: 'new_private_page', ...addressOf(front) })}>
          Open in a private tab
        </Button>
      )}
    </div>
  );
}

const addressOf = ({ url }: OpenPage) => (url !== null && /^https?:/.test(url) ? { url } : {});
