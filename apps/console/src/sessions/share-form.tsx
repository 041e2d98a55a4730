// The link to watch a session: how long it works, and the way to take it back. Loaded when sharing is opened.

import { useQueryClient } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { formatMoment } from '../common/format.ts';
import type { Share } from '../live/api-types.ts';
import type { SessionView } from '../live/session-model.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { showToast } from '../ui/toasts.ts';
import { sessionKey } from './session-key.ts';
import { showError } from './show-error.ts';

const lengths = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
] as const;
type Length = (typeof lengths)[number]['value'];

export default function ShareForm({ sessionId, isShared }: { sessionId: string; isShared: boolean }) {
  const cache = useQueryClient();
  const [share, setShare] = useState<Share>();
  const [length, setLength] = useState<Length>('86400');
  const [isBusy, setBusy] = useState(false);
  const createButton = useRef<HTMLButtonElement>(null);
  const form = useFirstFocus();
  const setShared = (shared: boolean) =>
    cache.setQueryData<SessionView>(
      sessionKey(sessionId),
      (view) => view && { ...view, session: { ...view.session, shared } },
    );
  const run = async (call: () => Promise<void>) => {
    setBusy(true);
    await call().catch(showError);
    setBusy(false);
  };
  const create = () =>
    run(async () => {
      setShare((await client.shareSession({ id: sessionId, expires_in_secs: Number(length) })).share);
      setShared(true);
    });
  const stop = () =>
    run(async () => {
      await client.unshareSession({ id: sessionId });
      setShare(undefined);
      setShared(false);
      showToast('The link does not work any more.', 'good');
      // The button that was pressed goes away; the keyboard goes on from the other.
      createButton.current?.focus();
    });
  const isOpen = isShared || share !== undefined;
  return (
    <div ref={form} className="grid gap-3">
      <div className="flex items-center gap-2">
        <h2 className="flex-1 text-14 font-semibold">Share to watch</h2>
        {isOpen && <Chip tone="person">Open to everyone with the link</Chip>}
      </div>
      <p className="text-ink-2">
        They see the picture and how far it is. Not what was asked, not addresses, nothing that people do, nothing
        private.
      </p>
      {share && <ShareLink share={share} />}
      {!share && (
        <Segmented<Length> label="How long the link works" value={length} options={lengths} onChange={setLength} />
      )}
      <div className="flex items-center gap-2">
        {share && <span className="text-12 text-ink-3">{`Ends ${formatMoment(share.expires_at, Date.now())}`}</span>}
        <span className="flex-1" />
        <Button
          ref={createButton}
          look={isOpen ? 'quiet' : 'primary'}
          size="sm"
          isBusy={isBusy}
          onClick={() => void create()}
        >
          {isOpen ? 'New link' : 'Create a link'}
        </Button>
        {isOpen && (
          <Button size="sm" isBusy={isBusy} onClick={() => void stop()}>
            Stop sharing
          </Button>
        )}
      </div>
    </div>
  );
}

/** The popover had no control to give the focus to when it was opened: this was not loaded. */
function useFirstFocus(): RefObject<HTMLDivElement | null> {
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (form.current?.closest('[role=dialog]') !== document.activeElement) return;
    form.current?.querySelector<HTMLElement>('button[tabindex="0"], button:not([tabindex])')?.focus();
  }, []);
  return form;
}

function ShareLink({ share }: { share: Share }) {
  const url = new URL(share.share_path, location.origin).href;
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => showToast(`Link copied. It works until ${formatMoment(share.expires_at, Date.now())}.`, 'good'),
      () => showToast('The browser did not allow copying. Select the link instead.'),
    );
  return (
    <div className="flex gap-2">
      <input
        readOnly
        data-testid="share-link"
        aria-label="Link to watch"
        value={url}
        onFocus={(event) => event.target.select()}
        className="h-9 min-w-0 flex-1 rounded-2 border border-control bg-surface px-3 font-mono text-12"
      />
      <Button size="lg" icon={Copy} onClick={() => void copy()}>
        Copy
      </Button>
    </div>
  );
}
