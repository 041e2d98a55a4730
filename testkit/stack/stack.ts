// A whole installation of the sources of this checkout, by its name.
import { join } from 'node:path';
import { createStack as createStackOf, type Stack } from '@pilothouse/stack';
import { buildConsole } from '../console-build.ts';
import { root } from './folders.ts';
import { createServices } from './services.ts';

export type { Stack };

const app = (name: string) => join(root, 'apps', name, 'src/main.ts');
const parts = {
  server: app('server'),
  agent: app('agent'),
  browser: app('browser'),
  migrate: join(root, 'packages/store/src/migrate.main.ts'),
  cwd: root,
  buildConsole,
};

export const createStack = (name: string): Stack => createStackOf(createServices(name), parts);
