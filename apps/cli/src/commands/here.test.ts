import assert from 'node:assert/strict';
import { it } from 'node:test';
import { whyNoStack } from './here.ts';

it('where a whole installation cannot run, the command says what to do', () => {
  assert.match(whyNoStack('darwin', '24.1.0'), /Linux only, and this is darwin.*docs\/operate\/compose\.md/);
  assert.match(whyNoStack('linux', '22.12.0'), /Node 24 or newer, and this is 22\.12\.0/);
  assert.match(whyNoStack('linux', '24.1.0'), /npm install @pilothouse\/stack$/);
});
