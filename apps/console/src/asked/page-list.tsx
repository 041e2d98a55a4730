// The list of an open `select`, at its place over the picture.

import { Check } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { DriverView, PointerAction } from '../live/api-types.ts';
import { cx } from '../ui/class-names.ts';
import { useFocusOnce } from './asked-card.ts';
import { findByLetters, moveInList } from './list-keys.ts';
import type { Place } from './place-beside.ts';

type SelectList = NonNullable<DriverView['select']>;
type Option = SelectList['options'][number];
type PageListProps = { list: SelectList; place: Place; onInput: (action: PointerAction) => void };

/** Letters that follow each other within this time are one word. */
const wordMs = 700;

export function PageList({ list, place, onInput }: PageListProps) {
  const { select_id, options } = list;
  const [at, setAt] = useState(() => options.findIndex(({ selected }) => selected));
  const typed = useRef({ letters: '', until: 0 });
  const focus = useFocusOnce<HTMLDivElement>();
  const id = useId();
  const choose = (option: number | null) => onInput({ action: 'choose_option', select_id, option });
  const press = (option: Option | undefined) => option && !option.disabled && choose(option.index);

  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const isLetter = [...key].length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isWord = event.timeStamp < typed.current.until;
    if (key === 'Escape' || key === 'Tab') choose(null);
    else if (key === 'Enter' || (key === ' ' && !isWord)) press(options[at]);
    else if (isLetter) {
      const letters = `${isWord ? typed.current.letters : ''}${key}`;
      typed.current = { letters, until: event.timeStamp + wordMs };
      setAt(findByLetters(options, at, letters) ?? at);
    } else {
      const next = moveInList(options, at, key);
      if (next === undefined) return;
      setAt(next);
    }
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at]);

  return (
    <div className="absolute inset-0" onPointerDown={(event) => event.target === event.currentTarget && choose(null)}>
      <div
        ref={focus}
        role="listbox"
        tabIndex={0}
        aria-label="List of the page"
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        data-testid="page-list"
        onKeyDown={onKeyDown}
        className="absolute overflow-y-auto rounded-2 bg-raised py-1 text-ink shadow-float outline-none"
        style={place}
      >
        {groupsOf(options).map(({ name, items }) =>
          name === null ? (
            items.map(({ option, place: index }) => (
              <ListRow key={option.index} {...{ option, id: `${id}-${index}`, isAt: index === at, onPress: press }} />
            ))
          ) : (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list
            <div key={`group ${items[0]?.place}`} role="group" aria-label={name}>
              <div aria-hidden className="truncate px-2.5 pt-1.5 pb-0.5 text-12 font-semibold text-ink-3" dir="auto">
                {name}
              </div>
              {items.map(({ option, place: index }) => (
                <ListRow key={option.index} {...{ option, id: `${id}-${index}`, isAt: index === at, onPress: press }} />
              ))}
            </div>
          ),
        )}
        {list.truncated && <p className="px-2.5 py-1 text-12 text-ink-3">The page has more than these.</p>}
      </div>
    </div>
  );
}

type ListRowProps = { option: Option; id: string; isAt: boolean; onPress: (option: Option) => void };

function ListRow({ option, id, isAt, onPress }: ListRowProps) {
  return (
    // The list has the focus, and hears the keys.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={id}
      role="option"
      aria-selected={option.selected}
      aria-disabled={option.disabled || undefined}
      onClick={() => onPress(option)}
      className={cx(
        'flex min-h-7 cursor-default items-center gap-2 px-2.5 narrow:min-h-11',
        option.group !== null && 'pl-5',
        option.disabled ? 'text-ink-3 line-through' : isAt ? 'bg-agent-soft text-agent-ink' : 'hover:bg-hover',
      )}
    >
      <span className="min-w-0 flex-1 truncate" dir="auto">
        {option.text || ' '}
      </span>
      {option.selected && <Check size={14} strokeWidth={2} aria-hidden className="shrink-0" />}
    </div>
  );
}

type Group = { name: string | null; items: { option: Option; place: number }[] };

function groupsOf(options: readonly Option[]): Group[] {
  const groups: Group[] = [];
  for (const [place, option] of options.entries()) {
    const last = groups.at(-1);
    if (last && last.name === option.group) last.items.push({ option, place });
    else groups.push({ name: option.group, items: [{ option, place }] });
  }
  return groups;
}
