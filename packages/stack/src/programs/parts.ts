// Where the programs of the installation lie: built files in a package, sources in a checkout. Both have the same folders.

import { extname, join } from 'node:path';
import type { StackParts } from '../stack/members.ts';

const tree = join(import.meta.dirname, '../../../..');
const ending = extname(import.meta.filename);

export const partsIn = (cwd: string): StackParts => ({
  server: join(tree, `apps/server/src/main${ending}`),
  agent: join(tree, `apps/agent/src/main${ending}`),
  browser: join(tree, `apps/browser/src/main${ending}`),
  migrate: join(tree, `packages/store/src/migrate.main${ending}`),
  cwd,
});

/** What the server shows at `/`. */
export const consolePage = join(tree, 'apps/console/dist/index.html');
