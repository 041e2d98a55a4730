// A table of a result. Only the rows in sight are elements, so that 10,000 rows scroll like ten.

import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { showName } from '../ui/shown-name.ts';
import { cellOf, formatCell, isNumeric, measureColumns, type ResultTable } from './result-model.ts';

const rowPx = 36;
const headPx = 32;
const maxColumns = 40;

export function DataTable({ table: { name, columns: all, rows } }: { table: ResultTable }) {
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => measureColumns(all.slice(0, maxColumns), rows), [all, rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollPaddingStart: headPx,
  });
  const shown = virtual.getVirtualItems();
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <div className="mt-3 min-w-0">
      <p className="mb-1 truncate font-mono text-12 text-ink-3">
        <bdi>{showName(name)}</bdi>
        {` · ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`}
      </p>
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
        tabIndex={0}
        aria-label={`Table ${showName(name)}`}
        data-testid="result-table"
        className="max-h-[60vh] overflow-auto -outline-offset-2"
      >
        <table aria-rowcount={rows.length + 1} className="table-fixed border-collapse" style={{ minWidth: '100%' }}>
          <thead className="sticky top-0 z-10 bg-surface">
            <tr aria-rowindex={1}>
              {columns.map(({ column, chars, isNumber }) => (
                <th
                  key={column}
                  scope="col"
                  style={{ width: `${chars + 2}ch` }}
                  className={`h-8 truncate pr-3 text-12 font-medium text-ink-3 last:pr-0 ${isNumber ? 'text-right' : 'text-left'}`}
                >
                  <bdi>{showName(column)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Gap px={above} columns={columns.length} />
            {shown.map(({ index }) => (
              <tr key={index} aria-rowindex={index + 2} style={{ height: rowPx }} className="border-t border-line">
                {columns.map(({ column }) => {
                  const value = rows[index] && cellOf(rows[index], column);
                  const words = formatCell(value);
                  return (
                    <td
                      key={column}
                      dir="auto"
                      title={words.length > 30 ? words.slice(0, 1000) : undefined}
                      className={`truncate pr-3 last:pr-0 ${isNumeric(value) ? 'text-right tabular-nums' : ''}`}
                    >
                      {words.slice(0, 500)}
                    </td>
                  );
                })}
              </tr>
            ))}
            <Gap px={below} columns={columns.length} />
          </tbody>
        </table>
      </section>
      {all.length > maxColumns && (
        <p className="mt-2 text-12 text-ink-3">{`The first ${maxColumns} of ${all.length} columns. All of them are under JSON.`}</p>
      )}
    </div>
  );
}

/** Stands for the rows that are not in sight. */
function Gap({ px, columns }: { px: number; columns: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height: px, padding: 0 }} />
    </tr>
  );
}
