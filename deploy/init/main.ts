// init [FOLDER] [--site NAME] [--non-root-browsers]: makes everything that the compose file needs. In the image of the
// same name the folder is /out.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { InitError, writeInstallation } from './installation.ts';

const usage = 'usage: init [FOLDER] [--site NAME] [--non-root-browsers]';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      site: { type: 'string', default: 'localhost' },
      'non-root-browsers': { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) throw new InitError(usage);
  const folder = resolve(positionals[0] ?? '/out');
  await writeInstallation({ folder, site: values.site, isNonRoot: values['non-root-browsers'] });
  console.log('init: done. Next: docker compose up --detach --wait; then docker compose logs server shows the link');
} catch (error) {
  const isUsage = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof InitError) && !isUsage) throw error;
  console.error(`init: ${(error as Error).message}`);
  process.exit(2);
}
