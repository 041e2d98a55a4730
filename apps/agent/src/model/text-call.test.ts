import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { click, finish } from '../../testing/models.ts';
import { callInText } from './text-call.ts';

const call = { name: 'click', input: { ref: 'e4' } };
const json = '{"name": "click", "arguments": {"ref": "e4"}}';

const taken: [what: string, text: string, words: string][] = [
  ['the whole text', json, ''],
  ['a block at the end, with words before', `goal: remove it\n\`\`\`json\n${json}\n\`\`\``, 'goal: remove it'],
  ['a tagged call', `<think>{"name": "finish"}</think>Now.\n<tool_call>\n${json}\n</tool_call>`, 'Now.'],
  ['other names of the parts', '{"tool": "click", "parameters": {"ref": "e4"}}', ''],
  ['arguments as text', '{"name": "click", "arguments": "{\\"ref\\": \\"e4\\"}"}', ''],
  ['the shape of chat completions', '{"function": {"name": "click", "arguments": {"ref": "e4"}}}', ''],
];

const left: [what: string, text: string][] = [
  ['words', 'I would click "Remove".'],
  ['JSON that is no call', '{"price": 12}'],
  ['an unknown tool', '{"name": "evaluate", "arguments": {}}'],
  ['cut JSON', '{"name": "click", "arguments": {"ref": "e4"'],
  ['a call in the middle of words', `Call ${json} and then see.`],
  ['two calls', `\`\`\`json\n${json}\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``],
  ['a text without end', `${' '.repeat(30_000)}${json}`],
];

describe('a call written as text', () => {
  for (const [what, text, words] of taken)
    it(`is taken from ${what}`, () => assert.deepEqual(callInText(text, [click, finish]), { ...call, words }));
  for (const [what, text] of left)
    it(`is not seen in ${what}`, () => assert.equal(callInText(text, [click, finish]), undefined));
});
