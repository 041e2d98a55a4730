// A list that is written one item a line, with what the server says of a line under it.

import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import type { Line } from './lines.ts';

type LineListProps = {
  label: string;
  text: string;
  /** What one line is. */
  item: 'host' | 'origin';
  placeholder: string;
  lines: readonly Line[];
  /** Of the next line. */
  nextKey: number;
  /** What is wrong with the whole list. */
  error: string | undefined;
  /** What is wrong with a line, by its key. */
  errors: Readonly<Record<number, string>>;
  onChange: (lines: Line[]) => void;
};

export function LineList(props: LineListProps) {
  const { label, text, item, placeholder, lines, nextKey, error, errors, onChange } = props;
  const addWords = item === 'host' ? 'Add a host' : 'Add an origin';
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const wanted = useRef<number>(undefined);
  // A new line has the focus, and so has the neighbour of one that was removed.
  useEffect(() => {
    if (wanted.current === undefined) return;
    const line = list.current?.querySelector<HTMLElement>(`[data-line="${wanted.current}"]`);
    (line ?? list.current?.querySelector<HTMLElement>('[data-add]'))?.focus();
    wanted.current = undefined;
  });
  const remove = (index: number) => {
    wanted.current = (lines[index + 1] ?? lines[index - 1])?.key ?? -1;
    onChange(lines.toSpliced(index, 1));
  };
  const add = () => {
    wanted.current = nextKey;
    onChange([...lines, { key: nextKey, text: '' }]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be as wide as its longest line
    <div ref={list} role="group" aria-labelledby={`${id}-name`} aria-describedby={`${id}-text`}>
      <h3 id={`${id}-name`} className="font-medium">
        {label}
      </h3>
      <p id={`${id}-text`} className="mb-1.5 text-12 text-ink-3">
        {text}
      </p>
      {error && <p className="mb-1.5 text-12 text-bad-ink">{error}</p>}
      <div className="grid max-w-[440px] gap-1.5">
        {lines.map(({ key, text: written }, index) => (
          <div key={key}>
            <div className="flex items-center gap-1.5">
              <Input
                data-line={key}
                aria-label={`${label}, line ${index + 1}`}
                aria-invalid={errors[key] ? true : undefined}
                aria-describedby={errors[key] ? `${id}-${key}` : undefined}
                value={written}
                placeholder={placeholder}
                dir="auto"
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
                onChange={({ target }) => onChange(lines.toSpliced(index, 1, { key, text: target.value }))}
                className="font-mono text-12"
              />
              <IconButton
                icon={X}
                label={`Remove line ${index + 1} of ${label}`}
                onClick={() => remove(index)}
                className="narrow:size-11"
              />
            </div>
            {errors[key] && (
              <p id={`${id}-${key}`} className="mt-1 text-12 text-bad-ink">
                {errors[key]}
              </p>
            )}
          </div>
        ))}
        <Button
          data-add
          look="quiet"
          icon={Plus}
          aria-label={`${addWords} to ${label}`}
          onClick={add}
          className="-ml-2 justify-self-start narrow:h-11"
        >
          {addWords}
        </Button>
      </div>
    </div>
  );
}
