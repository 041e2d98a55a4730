// The title of a session, which can be changed in place: Enter keeps it, Escape leaves it as it was.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import type { SessionView } from '../live/session-model.ts';
import { IconButton } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { sessionKey } from './session-key.ts';
import { showError } from './show-error.ts';

type SessionTitleProps = {
  id: string;
  /** Null: it has none of its own. */
  title: string | null;
  /** What is shown while it is not being changed. */
  children: ReactNode;
  className?: string;
};

export function SessionTitle({ id, title, children, className }: SessionTitleProps) {
  const [text, setText] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const cache = useQueryClient();
  const rename = useMutation({
    mutationFn: (wanted: string) => client.updateSession({ id, title: wanted || null }),
    onError: showError,
    onSuccess: ({ session }) => {
      cache.setQueryData<SessionView>(
        sessionKey(id),
        (view) => view && { ...view, session: { ...view.session, title: session.title } },
      );
      return cache.invalidateQueries({ queryKey: ['sessions'] });
    },
    onSettled: () => setText(undefined),
  });
  const keep = () => {
    if (text === undefined || rename.isPending) return;
    const wanted = text.trim();
    if (wanted === (title ?? '')) setText(undefined);
    else rename.mutate(wanted);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Enter') keep();
    else setText(undefined);
    // The field goes away; the keyboard goes on from the button that opened it.
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <span className={className}>
      {text === undefined ? (
        children
      ) : (
        <Input
          aria-label="Title of the session"
          autoFocus
          dir="auto"
          maxLength={200}
          disabled={rename.isPending}
          value={text}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={keep}
          className="relative z-10 h-7! px-2!"
        />
      )}
      <IconButton
        ref={button}
        icon={Pencil}
        label="Rename"
        size="sm"
        className="relative z-10 opacity-60 hover:opacity-100 focus-visible:opacity-100"
        onClick={() => setText(title ?? '')}
      />
    </span>
  );
}
