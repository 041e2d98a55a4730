// The plan that a model proposes, to be changed item by item and started. Loaded with the first such question. The words of the
// model are only ever the values of fields.

import { ArrowDown, ArrowUp, Play, X } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { inputClass } from '../ui/field.tsx';
import { changedTexts, type EditedItem, editedItems, hasWords, keyAfterRemoval, moveItem } from './plan-edits.ts';

type PlanCardProps = {
  items: readonly { text: string; site?: string }[];
  isBusy: boolean;
  /** Without texts the plan is as it was proposed. */
  onStart: (texts: string[] | undefined) => void;
};
type Part = 'text' | 'up' | 'down';

const maxChars = 200;

/** What moves in the page loses the focus: the part of the item that had it gets it back. */
function usePlanEdits(proposed: PlanCardProps['items']) {
  const [items, setItems] = useState<readonly EditedItem[]>(() => editedItems(proposed));
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<{ key: number; part: Part }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the list
  useLayoutEffect(() => {
    const { key, part } = focused.current ?? {};
    focused.current = undefined;
    if (key !== undefined) list.current?.querySelector<HTMLElement>(`[data-focus="${key} ${part}"]`)?.focus();
  }, [items]);
  return {
    items,
    said,
    list,
    write: (key: number, text: string) => setItems(items.map((item) => (item.key === key ? { ...item, text } : item))),
    move(key: number, by: -1 | 1, part: Part) {
      const moved = moveItem(items, key, by);
      if (moved === items) return;
      focused.current = { key, part };
      setItems(moved);
      setSaid(`Now item ${moved.findIndex((item) => item.key === key) + 1} of ${moved.length}`);
    },
    remove(key: number) {
      const next = keyAfterRemoval(items, key);
      if (next === undefined) return;
      focused.current = { key: next, part: 'text' };
      setItems(items.filter((item) => item.key !== key));
      setSaid(`Removed. ${items.length - 1} left`);
    },
  };
}

export default function PlanCard({ items: proposed, isBusy, onStart }: PlanCardProps) {
  const edits = usePlanEdits(proposed);
  const { items } = edits;
  const start = () => onStart(changedTexts(items, proposed));
  return (
    <div data-testid="plan" className="mt-2">
      <ol ref={edits.list} aria-label="Plan" className="grid gap-1.5">
        {items.map((item, index) => (
          <PlanRow
            key={item.key}
            item={item}
            place={index + 1}
            count={items.length}
            onWrite={(text) => edits.write(item.key, text)}
            onMove={(by, part) => edits.move(item.key, by, part)}
            onRemove={() => edits.remove(item.key)}
            onStart={() => !isBusy && hasWords(items) && start()}
          />
        ))}
      </ol>
      <p role="status" className="sr-only">
        {edits.said}
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          look="primary"
          icon={Play}
          isBusy={isBusy}
          disabled={!hasWords(items)}
          onClick={start}
          className="narrow:h-11"
        >
          Start
        </Button>
        <span className="text-12 text-ink-3 narrow:hidden">Alt ↑ and Alt ↓ move an item</span>
      </div>
    </div>
  );
}

type PlanRowProps = {
  item: EditedItem;
  place: number;
  count: number;
  onWrite: (text: string) => void;
  onMove: (by: -1 | 1, part: Part) => void;
  onRemove: () => void;
  onStart: () => void;
};

function PlanRow({ item, place, count, onWrite, onMove, onRemove, onStart }: PlanRowProps) {
  const focusOf = (part: Part) => ({ 'data-focus': `${item.key} ${part}` });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = event.altKey ? { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key] : undefined;
    if (by) onMove(by, 'text');
    else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onStart();
    else return;
    event.preventDefault();
  };
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-center gap-x-1.5">
      <span aria-hidden className="text-right text-12 text-ink-3 tabular-nums">{`${place}.`}</span>
      <input
        {...focusOf('text')}
        aria-label={`Item ${place} of ${count}`}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        value={item.text}
        maxLength={maxChars}
        dir="auto"
        autoComplete="off"
        onChange={(event) => onWrite(event.target.value)}
        onKeyDown={onKeyDown}
        className={inputClass}
      />
      <span className="flex narrow:col-start-2 narrow:row-start-2 narrow:justify-end">
        <IconButton
          {...focusOf('up')}
          size="sm"
          className="narrow:size-11"
          icon={ArrowUp}
          label={`Move item ${place} up`}
          isBusy={place === 1}
          onClick={() => onMove(-1, 'up')}
        />
        <IconButton
          {...focusOf('down')}
          size="sm"
          className="narrow:size-11"
          icon={ArrowDown}
          label={`Move item ${place} down`}
          isBusy={place === count}
          onClick={() => onMove(1, 'down')}
        />
        <IconButton
          size="sm"
          className="narrow:size-11"
          icon={X}
          label={`Remove item ${place}`}
          isBusy={count === 1}
          onClick={onRemove}
        />
      </span>
      {item.site && (
        <span
          className="col-start-2 truncate pl-3 narrow:row-start-2 narrow:self-center narrow:pr-36 text-12 text-ink-3"
          dir="auto"
        >
          {item.site}
        </span>
      )}
    </li>
  );
}
