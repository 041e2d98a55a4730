// A dialog that a script of the page has opened. The page stands still until it is answered.

import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { useTime } from '../common/use-time.ts';
import type { DriverView, PointerAction } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { askedCard, useFocusOnce } from './asked-card.ts';

type Dialog = NonNullable<DriverView['dialog']>;
type PageDialogProps = {
  dialog: Dialog;
  /** The host of the page; undefined where there is none. */
  host: string | undefined;
  onInput: (action: PointerAction) => void;
};

const words: Record<Dialog['kind'], { title: string; no?: string; yes: string }> = {
  alert: { title: 'says', yes: 'OK' },
  confirm: { title: 'asks', no: 'Cancel', yes: 'OK' },
  prompt: { title: 'asks', no: 'Cancel', yes: 'OK' },
  beforeunload: { title: 'asks whether to leave it', no: 'Stay', yes: 'Leave' },
};
const soonMs = 30_000;

export function PageDialog({ dialog, host, onInput }: PageDialogProps) {
  const { dialog_id, kind, message, default_value, expires_at } = dialog;
  const { title, no, yes } = words[kind];
  const [text, setText] = useState(default_value);
  const focus = useFocusOnce<HTMLElement>();
  const id = useId();
  const answer = (accept: boolean) =>
    onInput({ action: 'answer_dialog', dialog_id, accept, ...(kind === 'prompt' && accept && { text }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    answer(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.shiftKey) return;
    event.preventDefault();
    answer(kind === 'alert');
  };
  return (
    <div className="absolute inset-0 grid place-items-center bg-scrim p-2">
      <form
        role="dialog"
        aria-labelledby={`${id}-who`}
        aria-describedby={`${id}-text`}
        data-testid="page-dialog"
        data-kind={kind}
        onSubmit={submit}
        onKeyDown={onKeyDown}
        className={askedCard}
      >
        <p id={`${id}-who`} className="text-12 text-ink-3" dir="auto">
          {`${host ?? 'The page'} ${title}`}
        </p>
        <p id={`${id}-text`} className="mt-1 text-14 wrap-anywhere whitespace-pre-wrap" dir="auto">
          {message || (kind === 'beforeunload' ? 'What you wrote there may be lost.' : 'Without words.')}
        </p>
        {kind === 'prompt' && (
          <Input
            ref={focus}
            aria-labelledby={`${id}-text`}
            dir="auto"
            autoComplete="off"
            maxLength={2000}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onFocus={(event) => event.target.select()}
            className="mt-3"
          />
        )}
        <div className="mt-3.5 flex items-center justify-end gap-2">
          <TimeLeft endsAt={expires_at} />
          {no && (
            <Button size="sm" ref={kind === 'beforeunload' ? focus : undefined} onClick={() => answer(false)}>
              {no}
            </Button>
          )}
          <Button
            type="submit"
            look="primary"
            size="sm"
            ref={kind === 'alert' || kind === 'confirm' ? focus : undefined}
          >
            {yes}
          </Button>
        </div>
      </form>
    </div>
  );
}

function TimeLeft({ endsAt }: { endsAt: string }) {
  const secs = useTime((now) => {
    const leftMs = Date.parse(endsAt) - now;
    return leftMs > 0 && leftMs < soonMs ? Math.ceil(leftMs / 1000) : undefined;
  });
  if (secs === undefined) return null;
  return <span className="min-w-0 flex-1 text-12 text-ink-3 tabular-nums">{`Closes by itself in ${secs} s`}</span>;
}
