// The filters over a list: a choice, and a text that counts when it is sent.

import { type FormEvent, useId, useState } from 'react';
import { cx } from '../ui/class-names.ts';
import { Input, inputClass } from '../ui/field.tsx';

type PickProps = {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
};

export function Pick({ label, value, options, onChange }: PickProps) {
  const id = useId();
  return (
    <span className="grid gap-1">
      <label htmlFor={id} className="text-12 text-ink-2">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className={cx(inputClass, 'w-auto')}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
    </span>
  );
}

type TextFilterProps = { label: string; placeholder?: string; onSend: (text: string | undefined) => void };

/** Sent with Enter, or when it is left: each send reads the list again. */
export function TextFilter({ label, placeholder, onSend }: TextFilterProps) {
  const id = useId();
  const [text, setText] = useState('');
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    onSend(text.trim() || undefined);
  };
  return (
    <form onSubmit={send} className="grid gap-1">
      <label htmlFor={id} className="text-12 text-ink-2">
        {label}
      </label>
      <Input
        id={id}
        type="search"
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => send()}
        className="w-56"
      />
    </form>
  );
}
