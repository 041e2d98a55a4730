// What a task brought: words, a table, JSON, files. Loaded when a task has a result.

import { Braces, Table2, Type } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { TaskResult } from '../live/api-types.ts';
import { cx } from '../ui/class-names.ts';
import { Empty } from '../ui/empty.tsx';
import { LongText } from '../ui/long-text.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { FileList } from './file-list.tsx';
import { JsonTree } from './json-tree.tsx';
import { PlainText } from './plain-text.tsx';
import { findTables, writeAsText } from './result-model.ts';
import { DataTable } from './result-table.tsx';

type View = 'table' | 'json' | 'text';

export default function ResultView({ result, taskId }: { result: TaskResult; taskId: string }) {
  const tables = useMemo(() => findTables(result.data), [result.data]);
  const [chosen, setChosen] = useState<View>();
  const view =
    chosen ?? (tables.length > 0 ? 'table' : typeof result.data === 'object' && result.data ? 'json' : 'text');
  const hasData = result.data !== null && result.data !== undefined;
  if (!result.summary && !hasData && result.files.length === 0)
    return <Empty icon={Braces} title="It brought nothing home" text="The task ended without data or files." />;
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
      tabIndex={0}
      aria-label="Result"
      data-testid="result"
      className="min-h-0 flex-1 overflow-y-auto px-4 py-3 -outline-offset-2"
    >
      {result.state === 'partial' && <p className="mb-1 font-semibold">The model says that a part of it is done.</p>}
      {result.verdict && <VerdictNote verdict={result.verdict} />}
      {result.summary && <LongText text={result.summary} lines={4} className="text-14" />}
      {hasData && (
        <div className="mt-3 flex items-center gap-2">
          <Segmented<View>
            label="Form of the result"
            value={view}
            onChange={setChosen}
            options={[
              ...(tables.length > 0 ? [{ value: 'table' as const, label: 'Table', icon: Table2 }] : []),
              { value: 'json', label: 'JSON', icon: Braces },
              { value: 'text', label: 'Text', icon: Type },
            ]}
          />
        </div>
      )}
      {hasData && view === 'table' && tables.map((table) => <DataTable key={table.name} table={table} />)}
      {hasData && view === 'json' && <JsonTree data={result.data} />}
      {hasData && view === 'text' && (
        <PlainText text={writeAsText(result.data)} label="Text" className="mt-3 font-sans text-14" />
      )}
      <FileList files={result.files} taskId={taskId} />
    </section>
  );
}

const verdicts = {
  done: { words: 'The judge says that it was done', look: 'bg-good-soft text-good-ink' },
  not: { words: 'The judge says that it was not done', look: 'bg-bad-soft text-bad-ink' },
  unsure: { words: 'The judge is not sure that it was done', look: 'bg-sunken text-ink-2' },
} as const;

/** What a second model says of the task. Its words are shown as text only. */
function VerdictNote({ verdict: { state, reasons, model } }: { verdict: NonNullable<TaskResult['verdict']> }) {
  const { words, look } = verdicts[state];
  return (
    <div data-testid="verdict" data-state={state} className={cx('mb-2 rounded-2 px-3 py-2 text-13', look)}>
      <p className="font-semibold">{model ? `${words} (${model.slice(0, 100)})` : words}</p>
      <ul className="grid gap-0.5">
        {reasons.map((reason, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the reasons of a verdict never change
          <li key={index} className="wrap-anywhere">
            <LongText text={reason} />
          </li>
        ))}
      </ul>
    </div>
  );
}
