import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatRequest } from './chat.ts';

const accepts = (body: unknown) => ChatRequest.safeParse(body).success;

test('a prompt alone is enough; the rest has defaults', () => {
  assert.deepEqual(ChatRequest.parse({ prompt: 'Look' }), {
    prompt: 'Look',
    constraints: [],
    planner: 'auto',
    max_steps: 40,
    time_limit_secs: 1800,
    execute: true,
  });
});

test('message is another name for prompt', () => {
  const parsed = ChatRequest.parse({ message: 'Look' });
  assert.equal(parsed.prompt, 'Look');
  assert.ok(!('message' in parsed));
  assert.equal(ChatRequest.parse({ prompt: 'Look', message: 'Look' }).prompt, 'Look');
});

test('two prompts that differ, or none, are refused at the prompt', () => {
  for (const body of [{ prompt: 'Look', message: 'Leap' }, {}]) {
    const { error } = ChatRequest.safeParse(body);
    assert.deepEqual(
      error?.issues.map((issue) => issue.path),
      [['prompt']],
    );
  }
});

test('unknown fields are ignored', () => {
  assert.ok(!('extra' in ChatRequest.parse({ prompt: 'Look', extra: 1 })));
});

test('a malformed session id passes, so that it can be answered like an unknown one', () => {
  assert.equal(ChatRequest.parse({ prompt: 'Look', session_id: 'nope' }).session_id, 'nope');
});

const edges: { field: string; taken: unknown[]; refused: unknown[] }[] = [
  { field: 'prompt', taken: ['x', 'x'.repeat(8000)], refused: ['', 'x'.repeat(8001), 'a\0', '\ud800', 1, null] },
  { field: 'constraints', taken: [[], Array(10).fill('x')], refused: [Array(11).fill('x'), [''], ['\0'], 'x'] },
  { field: 'planner', taken: ['auto', 'llm', 'script'], refused: ['', 'Auto', null] },
  { field: 'max_steps', taken: [1, 200], refused: [0, 201, 1.5, '40', null] },
  { field: 'time_limit_secs', taken: [10, 86_400], refused: [9, 86_401, 10.5] },
  { field: 'execute', taken: [true, false], refused: ['true', 0] },
  { field: 'output_schema', taken: [{ type: 'object' }], refused: [[], 'x', { a: ['\0'] }, { '\ud800': 1 }] },
  {
    field: 'allowed_domains',
    taken: [['example.com'], ['*.example.com', '127.0.0.1', 'localhost']],
    refused: [[], [''], ['https://example.com'], ['a b'], ['*'], ['*example.com'], ['example.1'], ['*.a.256']],
  },
  {
    field: 'current_url',
    taken: ['https://example.com/a?b#c', 'http://127.0.0.1:8080', 'about:blank'],
    refused: ['example.com', 'file:///etc/passwd', 'chrome://settings', 'javascript:alert(1)', 'https://'],
  },
  {
    field: 'policy',
    taken: [{}, { mode: 'careful' }, { allow: [], deny: ['example.com'], read_only: ['127.0.0.1'], watch: ['b.test'] }],
    // A rule that is spelled wrong must not read as none.
    refused: [null, { mode: 'lax' }, { denied: ['a.test'] }, { deny: ['*.a.test'] }, { deny: ['https://a.test'] }],
  },
  { field: 'steps', taken: [[{ action: 'reload' }]], refused: [[], [{ action: 'fly' }], [{}], {}] },
];

for (const { field, taken, refused } of edges) {
  test(`${field} is taken up to its edges and refused beyond them`, () => {
    for (const value of taken) assert.ok(accepts({ prompt: 'Look', [field]: value }), JSON.stringify(value));
    for (const value of refused) assert.ok(!accepts({ prompt: 'Look', [field]: value }), JSON.stringify(value));
  });
}

test('files come along: three at most, of different plain names, together 150 KiB', () => {
  const file = (name: string, byteLen = 1) => ({ name, content_base64: Buffer.alloc(byteLen).toString('base64') });
  const takes = (...files: object[]) => accepts({ prompt: 'Look', files });
  assert.ok(takes(file('a.txt'), file('b'), file('Übersicht 1.csv', 0)));
  assert.ok(takes(file('a', 100 * 1024), file('b', 50 * 1024)));
  assert.ok(!takes(file('a', 100 * 1024), file('b', 50 * 1024 + 1)));
  assert.ok(!takes(file('a'), file('b'), file('c'), file('d')));
  assert.ok(!takes(file('a'), file('a')));
  for (const name of ['', '.', '..', 'a/b', 'a\\b', 'a\0', 'x'.repeat(201)]) assert.ok(!takes(file(name)), name);
  assert.ok(!takes({ name: 'a', content_base64: 'not base64!' }));
});
