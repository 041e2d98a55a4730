// npm run generate [-- --verify]: writes the types of the real database's tables into the store.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { migrate } from '@pilothouse/store';
import { root } from '../testkit/stack/folders.ts';
import { withServices } from '../testkit/stack/with-services.ts';

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
