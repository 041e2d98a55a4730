// npm run generate [-- --verify]: writes the types of the real database's tables into the store, and the table of routes that
// clients load into the contract.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { migrate } from '@pilothouse/store';
import { root } from '../testkit/stack/folders.ts';
import { withServices } from '../testkit/stack/with-services.ts';
import { areWireRoutesCurrent, writeWireRoutes } from './wire-routes.ts';

if (!process.argv.includes('--verify')) writeWireRoutes();
else if (!areWireRoutesCurrent()) {
  console.error('the routes that clients load are not those of the contract: npm run generate');
  process.exit(1);
}
process.exitCode = await withServices(`generate-${process.pid}`, async (services) => {
  await services.start('postgres');
  const url = services.databaseUrl();
  await migrate(url);
  return generate(url);
});

function generate(url: string): number {
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/kysely-codegen/dist/cli/bin.js'),
      '--dialect=postgres',
      `--url=${url}`,
      `--out-file=${join(root, 'packages/store/src/db/generated.ts')}`,
      '--default-schema=public',
      '--exclude-pattern=public.migrations*',
      // The pool reads counters as numbers.
      '--type-mapping={"int8":"number"}',
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit' },
  );
  return status ?? 1;
}
