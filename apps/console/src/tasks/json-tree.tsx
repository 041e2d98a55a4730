// Data as a tree that is opened branch by branch. Only open branches are elements, and long ones come in parts.

import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { LongText } from '../ui/long-text.tsx';
import { showName } from '../ui/shown-name.ts';

const partLength = 100;
/** One word without a break takes the square of its length to lay out. */
const longestText = 1000;

export function JsonTree({ data }: { data: unknown }) {
  return (
    <ul className="mt-3 rounded-2 bg-bg p-3 font-mono text-12" data-testid="json-tree">
      <Branch value={data} depth={0} />
    </ul>
  );
}

function Branch({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const [isOpen, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(partLength);
  if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} />;
  const entries: [string, unknown][] = Object.entries(value);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-ml-1 flex min-h-6 max-w-full items-center gap-1 rounded-1 pr-2 text-left hover:bg-hover"
      >
        <Icon size={14} strokeWidth={1.75} aria-hidden className="shrink-0 text-ink-3" />
        {name !== undefined && <Name name={name} />}
        <span className="shrink-0 text-ink-3">{describeSize(value, entries.length)}</span>
      </button>
      {isOpen && entries.length > 0 && (
        // Deeper branches are no longer indented, so that none is pushed out of sight.
        <ul className={depth < 8 ? 'ml-1.5 border-l border-line pl-3' : ''}>
          {entries.slice(0, shown).map(([key, inner]) => (
            <Branch key={key} name={key} value={inner} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <li>
              <button type="button" onClick={() => setShown(shown + partLength)} className="min-h-6 text-agent-ink">
                {`${Math.min(partLength, entries.length - shown)} more of ${entries.length - shown}`}
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function Leaf({ name, value }: { name: string | undefined; value: unknown }) {
  return (
    <li className="flex min-h-6 min-w-0 items-baseline gap-1.5 py-0.5 pl-[14px]">
      {name !== undefined && <Name name={name} />}
      {typeof value === 'string' ? (
        <span className="min-w-0 flex-1 wrap-anywhere text-good-ink">
          <LongText text={value.slice(0, longestText)} lines={4} />
          {value.length > longestText && (
            <span className="text-ink-3">{` ${value.length - longestText} characters more, under Text`}</span>
          )}
        </span>
      ) : (
        <span className="text-agent-ink">{String(value)}</span>
      )}
    </li>
  );
}

const Name = ({ name }: { name: string }) => (
  <span className="max-w-[60%] shrink-0 truncate text-ink-2">
    <bdi>{showName(name)}</bdi>:
  </span>
);

const describeSize = (value: object, count: number): string =>
  Array.isArray(value)
    ? `[${count} ${count === 1 ? 'item' : 'items'}]`
    : `{${count} ${count === 1 ? 'field' : 'fields'}}`;
