import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ExecutionStep, TaskStatus } from '@pilothouse/contract';
import { createTaskView } from './task-view.ts';
import { createTerminal, jsonLine, plain } from './terminal.ts';
import { displayWidth } from './width.ts';
import { clockTime, dollars, duration, table } from './words.ts';

const at = '2026-11-18T06:00:00.000Z';
const step = (index: number, title: string, more: Partial<ExecutionStep> = {}): ExecutionStep => ({
  step_id: `step-${index}`,
  index,
  title,
  action: 'click',
  status: 'success',
  attempts: 1,
  intent_at: at,
  effect_at: '2026-11-18T06:00:01.500Z',
  wait_ms: 0,
  run_ms: 20,
  error: null,
  ...more,
});
const progress = {
  status: 'running' as const,
  total_steps: 4,
  current_step: 2,
  current_step_title: '',
  started_at: at,
  finished_at: null,
  last_error: null,
  last_updated_at: at,
};
const ended: TaskStatus = {
  ...progress,
  status: 'success',
  finished_at: '2026-11-18T06:01:05.000Z',
  task_id: 't',
  session_id: 's',
  title: '',
  result: { summary: 'x', data: { found: 'Brass\u001b[2J lantern', price: 48 }, files: [] },
  takeover: null,
  question: null,
  plan_items: null,
  recent_evidence: [],
  agent_history: [],
  attempt: 1,
  cost: { steps: 4, model_calls: 3, input_tokens: 1, output_tokens: 1, cost_micros: 4200 },
  cursor: 'c',
};
/** A stream that keeps what is written. */
const paper = (isTTY: boolean, columns = 60) => {
  const stream = {
    isTTY,
    columns,
    text: '',
    write(text: string) {
      stream.text += text;
      return true;
    },
  };
  return stream;
};
const hostile = 'Click "\u001b]0;owned\u0007\u202eevil\u001b[2J"';

/** Everything that a task tells, in the order of its events. */
function showAll(isTTY: boolean) {
  const stdout = paper(isTTY);
  const terminal = createTerminal({ stdout, stderr: paper(false) });
  let now = 0;
  const view = createTaskView(terminal, { now: () => now, everyMs: 1_000_000 });
  view.take({ type: 'status', status: progress });
  view.take({ type: 'step', step: step(1, 'Open the shop', { status: 'running' }) });
  now = 2000;
  view.take({ type: 'step', step: step(1, 'Open the shop') });
  view.setCost(4200);
  view.take({ type: 'step', step: step(2, hostile, { status: 'running' }) });
  view.take({ type: 'step', step: step(2, hostile, { status: 'failed', error: 'not \u001b[31mfound', attempts: 2 }) });
  view.finish(ended);
  return stdout.text;
}

it('a task in a file is plain lines, whatever pages say', () => {
  const text = showAll(false);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it.
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  const lines = text.split('\n');
  assert.match(lines[0] ?? '', /^ {2}✓ Open the shop +1\.5 s$/);
  assert.match(lines[1] ?? '', /^ {2}✗ Click "\]0;ownedevil\[2J" +1\.5 s$/);
  assert.match(lines[2] ?? '', /^ {6}not \[31mfound \(attempt 2\)$/);
  assert.deepEqual(lines.slice(3, 7), [
    '',
    '✓ Done  1 min 5 s · 4 steps · 3 calls of a model · $0.0042',
    '  found  Brass[2J lantern',
    '  price  48',
  ]);
});

it('a task on a terminal has one line below that moves, in colours, and never longer than the terminal', () => {
  const text = showAll(true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a line is drawn again.
  const drawn = text.split(/\r\u001b\[2K/).filter((part) => /\d\/4/.test(part) && !part.includes('\n'));
  assert.ok(drawn.length >= 3, `${drawn.length} times`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room.
  const seen = drawn.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''));
  assert.match(seen.at(-1) ?? '', /^ {2}\S ━{6}─{18} 1\/4 · 2\.0 s · \$0\.0042 {2}/);
  for (const line of seen) assert.ok(line.length <= 60, line);
  assert.ok(!text.includes('\u001b]0;') && !text.includes('\u001b[2J'), 'pages move no cursor');
});

for (const columns of [20, 40, 60])
  it(`a task on a terminal of ${columns} columns draws no line that wraps, whatever the letters of a title`, () => {
    for (const title of [
      'Read the price of each lantern',
      '灯台のランプの価格を読む'.repeat(3),
      '🏮👨‍👩‍👧❤️'.repeat(12),
    ]) {
      const stdout = paper(true, columns);
      const view = createTaskView(createTerminal({ stdout, stderr: paper(false) }), { everyMs: 1_000_000 });
      view.setCost(4200);
      view.take({ type: 'status', status: progress });
      view.take({ type: 'step', step: step(2, title, { status: 'running' }) });
      view.take({ type: 'step', step: step(2, title) });
      view.close();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room, and each drawing begins so.
      const lines = stdout.text.replaceAll(/\u001b\[\d+m/g, '').split(/\r\u001b\[2K|\n/);
      const drawn = lines.filter((line) => /\d\/4/.test(line));
      assert.ok(drawn.length >= 3, stdout.text);
      for (const line of lines) assert.ok(displayWidth(line) <= columns, `${displayWidth(line)} columns: ${line}`);
      assert.equal(
        drawn.some((line) => line.includes('━')),
        columns === 60,
        'a bar only where there is room',
      );
      assert.equal(
        drawn.some((line) => line.includes(title.slice(0, 2))),
        columns > 20,
        'a title only where there is room',
      );
    }
  });

it('nothing that is printed moves the cursor, also where a command forgot to clean it, and JSON means the same', () => {
  for (const isTTY of [true, false]) {
    const stdout = paper(isTTY);
    const terminal = createTerminal({ stdout, stderr: paper(false) });
    terminal.print(`a\u001b[2J\u009b1A\r${terminal.paint('red', 'b')}`);
    assert.equal(stdout.text, isTTY ? 'a[2J1A\u001b[31mb\u001b[39m\n' : 'a[2J1Ab\n');
  }
  const value = { title: '\u009b2J\u202e\u001b' };
  assert.equal(jsonLine(value), '{"title":"\\u009b2J\\u202e\\u001b"}');
  assert.deepEqual(JSON.parse(jsonLine(value)), value);
});

it('words for people', () => {
  assert.deepEqual([0, 949, 9949, 9950, 59_400, 61_000, 7_260_000].map(duration), [
    '0.0 s',
    '0.9 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1 min 1 s',
    '2 h 1 min',
  ]);
  assert.deepEqual([1, 9999, 10_000, 1_250_000].map(dollars), ['$0.0000', '$0.0100', '$0.01', '$1.25']);
  assert.match(clockTime(at), /^2026-11-18 \d\d:00:00$/);
  assert.deepEqual(
    table(
      ['A', 'B'],
      [
        ['long', 'x\ny'],
        ['s', 'z'.repeat(20)],
      ],
      12,
    ),
    ['A     B', 'long  x y', 's     zzzzz…'],
  );
  assert.equal(plain('a\tb\u0000\u200f'), 'a b');
});
