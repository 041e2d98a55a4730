// What comes next in this session, a prompt or a script; or words to the task that is at work.

import { ArrowUp } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Segmented } from '../ui/segmented.tsx';

type ComposerProps = {
  placeholder: string;
  hint: string;
  isBusy: boolean;
  error: string | undefined;
  /** Resolves to whether it was taken; then the field is emptied. */
  onSend: (text: string) => Promise<boolean>;
  /** While a task is at work: it can be told something without taking the wheel. */
  tell?: { isRead: boolean; onTell: (text: string) => Promise<boolean> };
};

const receivers = [
  { value: 'next', label: 'What comes next' },
  { value: 'task', label: 'To this task' },
] as const;
type Receiver = (typeof receivers)[number]['value'];

export function Composer({ placeholder: nextWords, hint: nextHint, isBusy, error, onSend, tell }: ComposerProps) {
  const [text, setText] = useState('');
  const [receiver, setReceiver] = useState<Receiver>('next');
  const told = receiver === 'task' ? tell : undefined;
  const placeholder = told ? 'Tell the agent something' : nextWords;
  const readHint = told?.isRead ? 'Read before the next step' : 'This task follows a script, which does not read it';
  const hint = told ? readHint : nextHint;
  const send = async () => {
    if (!text.trim() || isBusy) return;
    if (await (told?.onTell ?? onSend)(text)) setText('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isEnter = event.key === 'Enter' && !event.nativeEvent.isComposing;
    // A script has lines: they are sent with the command key.
    if (!isEnter || event.shiftKey || (text.includes('\n') && !event.metaKey && !event.ctrlKey)) return;
    event.preventDefault();
    void send();
  };
  return (
    <form onSubmit={submit} className="border-t border-line p-3">
      {tell && (
        <Segmented<Receiver>
          label="Whom it is for"
          value={receiver}
          options={receivers}
          onChange={setReceiver}
          className="mb-2"
        />
      )}
      {error && (
        <p role="alert" className="mb-2 px-1 text-12 whitespace-pre-line text-bad-ink">
          {error}
        </p>
      )}
      <div className="rounded-3 border border-control bg-surface focus-within:border-agent focus-within:ring-3 focus-within:ring-agent-soft">
        <textarea
          id="composer"
          data-testid="composer"
          aria-label={placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder={placeholder}
          maxLength={told ? 2000 : 8000}
          rows={1}
          dir="auto"
          className="field-sizing-content block max-h-40 min-h-9 w-full resize-none bg-transparent px-3 pt-2.5 pb-0.5 text-14 outline-none"
        />
        <div className="flex items-center gap-1.5 p-1.5 pl-3">
          <span className="min-w-0 flex-1 truncate text-12 text-ink-3">{hint}</span>
          <IconButton
            type="submit"
            look="primary"
            size="sm"
            icon={ArrowUp}
            label="Send"
            disabled={isBusy || !text.trim()}
          />
        </div>
      </div>
    </form>
  );
}
