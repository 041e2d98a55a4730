import assert from 'node:assert/strict';
import { it } from 'node:test';
import { partsRunning } from './dev-parts.ts';

it('a change of a source starts what runs it again, and nothing else', () => {
  const rows: [string, readonly string[] | 'all'][] = [
    ['apps/server/src/app.ts', ['server-1']],
    ['apps/agent/src/task/run.ts', ['agent-1']],
    ['apps/browser/src/main.ts', ['browser-1']],
    ['packages/contract/src/index.ts', ['server-1', 'agent-1', 'browser-1']],
    ['packages/store/src/db/migrations/0001-first.sql', 'all'],
    ['apps/server/src/app.test.ts', []],
    ['apps/console/src/main.tsx', []],
    ['docs/README.md', []],
  ];
  for (const [path, parts] of rows) assert.deepEqual(partsRunning(path), parts, path);
});
