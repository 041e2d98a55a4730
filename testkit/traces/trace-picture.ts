// Draws a trace as an SVG: one row a span, below what caused it, with a bar for its time. Each process has a colour.

import type { ReceivedSpan } from './otlp-receiver.ts';

const width = 1500;
const left = 470;
const right = 90;
const rowHeight = 21;
const top = 96;
const indent = 16;
const colours: Record<string, { bar: string; name: string }> = {
  'pilothouse-server': { bar: '#3b6ea5', name: 'server' },
  'pilothouse-agent': { bar: '#c2762b', name: 'agent' },
  'pilothouse-browser': { bar: '#3d8a63', name: 'browser host' },
};
const other = { bar: '#777777', name: 'other' };

type Row = { span: ReceivedSpan; depth: number };

export function drawTrace(
  trace: readonly ReceivedSpan[],
  title: string,
): { svg: string; width: number; height: number } {
  const rows = rowsBelow(trace, undefined, 0);
  const [from, to] = [Math.min(...trace.map(({ start }) => start)), Math.max(...trace.map(({ end }) => end))];
  const scale = (width - left - right) / (to - from);
  const height = top + rows.length * rowHeight + 20;
  const x = (at: number) => left + (at - from) * scale;
  const body = [
    heading(title),
    ...axis(to - from, { scale, height }),
    ...rows.map((row, index) => rowOf(row, index, x)),
  ];
  const font = `font-family="DejaVu Sans, Liberation Sans, sans-serif" font-size="12.5"`;
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}><rect width="100%" height="100%" fill="#fcfbf8"/>${body.join('')}</svg>`;
  return { svg, width, height };
}

/** Depth first, in the order in which they began. */
function rowsBelow(trace: readonly ReceivedSpan[], parentId: string | undefined, depth: number): Row[] {
  const children = trace.filter((span) => span.parentId === parentId).toSorted((one, next) => one.start - next.start);
  return children.flatMap((span) => [{ span, depth }, ...rowsBelow(trace, span.spanId, depth + 1)]);
}

function heading(title: string): string {
  const legend = Object.values(colours).map(({ bar, name }, index) => {
    const at = left + index * 130;
    return `<rect x="${at}" y="42" width="13" height="13" rx="2" fill="${bar}"/><text x="${at + 19}" y="53" fill="#333">${name}</text>`;
  });
  return `<text x="20" y="30" font-size="17" font-weight="bold" fill="#222">${escaped(title)}</text>${legend.join('')}`;
}

function axis(lastsMs: number, { scale, height }: { scale: number; height: number }): string[] {
  const stepMs = [50, 100, 200, 250, 500, 1000, 2000, 5000].find((step) => lastsMs / step <= 12) ?? 10_000;
  return Array.from({ length: Math.floor(lastsMs / stepMs) + 1 }, (_, index) => {
    const at = left + index * stepMs * scale;
    const line = `<line x1="${at}" x2="${at}" y1="${top - 12}" y2="${height - 14}" stroke="#e2ddd2"/>`;
    return `${line}<text x="${at}" y="${top - 18}" text-anchor="middle" fill="#777" font-size="11">${index * stepMs} ms</text>`;
  });
}

function rowOf({ span, depth }: Row, index: number, x: (at: number) => number): string {
  const { bar } = colours[span.service] ?? other;
  const y = top + index * rowHeight;
  const [begin, end] = [x(span.start), x(span.end)];
  const band =
    index % 2 === 0 ? `<rect x="0" y="${y}" width="${width}" height="${rowHeight}" fill="#000" opacity=".025"/>` : '';
  const name = `<text x="${20 + depth * indent}" y="${y + 15}" fill="#222">${escaped(span.name)}<tspan fill="#777"> ${escaped(detailOf(span))}</tspan></text>`;
  const box = `<rect x="${begin}" y="${y + 4}" width="${Math.max(2, end - begin)}" height="${rowHeight - 8}" rx="2" fill="${span.isFailed ? '#b3392f' : bar}"/>`;
  const time = `<text x="${Math.max(begin + 2, end) + 6}" y="${y + 15}" fill="#555" font-size="11">${msOf(span)}</text>`;
  return band + box + name + time;
}

/** What tells a span from others of its name. */
function detailOf({ attributes: said }: ReceivedSpan): string {
  const parts = [said.route, said.message, said.command, said.action, said.model, said.kind];
  const tokens = said.input_tokens === undefined ? [] : [`${said.input_tokens} + ${said.output_tokens} tokens`];
  const isCommand = said.command !== undefined && said.message !== undefined;
  return [...(isCommand ? [said.command] : parts), ...tokens].filter((part) => part !== undefined).join(' ');
}

function msOf({ start, end }: ReceivedSpan): string {
  const ms = end - start;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
