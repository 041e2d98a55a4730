// What a task brought: words, a table, JSON, files.

import { Braces, Download, Table2, Type } from 'lucide-react';
import { useMemo, useState } from 'react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import type { TaskResult } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { showToast } from '../ui/toasts.ts';
import { findTables, formatCell, isNumeric, type ResultTable } from './result-model.ts';
import { LongText } from './step-row.tsx';

type View = 'table' | 'json' | 'text';

export function ResultView({ result, taskId }: { result: TaskResult; taskId: string }) {
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
      {hasData && view === 'json' && <Code text={JSON.stringify(result.data, null, 2)} />}
      {hasData && view === 'text' && <Code text={textOf(result.data)} isPlain />}
      <FileList files={result.files} taskId={taskId} />
    </section>
  );
}

const maxRows = 500;

function DataTable({ table: { name, columns, rows } }: { table: ResultTable }) {
  const shown = rows.slice(0, maxRows);
  return (
    <div className="mt-3 overflow-x-auto">
      <p className="mb-1 font-mono text-12 text-ink-3">{`${name} · ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`}</p>
      <table className="w-full border-collapse">
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                dir="auto"
                className={`h-8 pr-3 text-12 font-medium whitespace-nowrap text-ink-3 last:pr-0 ${isNumeric(rows[0]?.[column]) ? 'text-right' : 'text-left'}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a result have no name, and never move
            <tr key={index} className="border-t border-line">
              {columns.map((column) => (
                <td
                  key={column}
                  dir="auto"
                  className={`max-w-60 truncate py-2.5 pr-3 last:pr-0 ${isNumeric(row[column]) ? 'text-right tabular-nums' : ''}`}
                >
                  {formatCell(row[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxRows && (
        <p className="mt-2 text-12 text-ink-3">{`The first ${maxRows} rows. All of them are under JSON.`}</p>
      )}
    </div>
  );
}

function Code({ text, isPlain }: { text: string; isPlain?: boolean }) {
  return (
    <pre
      dir="auto"
      className={`mt-3 max-h-[60vh] overflow-auto rounded-2 bg-bg p-3 break-words whitespace-pre-wrap ${isPlain ? 'font-sans text-14' : 'font-mono text-12'}`}
    >
      {text}
    </pre>
  );
}

const textOf = (data: unknown): string => {
  if (typeof data === 'string') return data;
  if (data && typeof data === 'object' && !Array.isArray(data))
    return Object.entries(data)
      .map(([name, value]) => `${name}\n${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
      .join('\n\n');
  return JSON.stringify(data, null, 2);
};

/** Files are always saved, never shown: a page must not bring its own into the console. */
export function FileList({ files, taskId }: { files: TaskResult['files']; taskId: string }) {
  if (files.length === 0) return null;
  return (
    <ul className="mt-4 grid gap-2">
      {files.map((file) => (
        <li key={file.file_id} className="flex items-center gap-3 rounded-2 bg-bg px-3 py-2">
          <span className="min-w-0 flex-1 truncate font-medium" dir="auto">
            {file.name}
          </span>
          <span className="text-12 text-ink-3 tabular-nums">{describeBytes(file.byte_len)}</span>
          <Button size="sm" icon={Download} onClick={() => void saveFile(taskId, file)}>
            Save
          </Button>
        </li>
      ))}
    </ul>
  );
}

async function saveFile(taskId: string, { file_id, name }: TaskResult['files'][number]): Promise<void> {
  try {
    const response = await client.getTaskFile({ id: taskId, file_id });
    saveBlob(await response.blob(), name);
  } catch (error) {
    showToast(describeError(error), 'bad');
  }
}

/** Saves bytes under a name, as a download of the browser. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const describeBytes = (count: number): string =>
  count < 1024
    ? `${count} B`
    : count < 1_048_576
      ? `${(count / 1024).toFixed(1)} KiB`
      : `${(count / 1_048_576).toFixed(1)} MiB`;
