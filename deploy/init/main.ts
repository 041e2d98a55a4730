// init [FOLDER] [--site NAME] [--non-root-browsers]: makes everything that the compose file needs. init [FOLDER] --renew: brings
// what is there to this version. In the image of the same name the folder is /out.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { InitError, writeInstallation } from './installation.ts';
import { renewInstallation } from './renewal.ts';

const usage = 'usage: init [FOLDER] [--site NAME] [--non-root-browsers], or init [FOLDER] --renew';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      site: { type: 'string' },
      'non-root-browsers': { type: 'boolean' },
      renew: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) throw new InitError(usage);
  const folder = resolve(positionals[0] ?? '/out');
  const { site, 'non-root-browsers': isNonRoot, renew } = values;
  // What was chosen is in .env.
  if (renew && (site !== undefined || isNonRoot !== undefined)) throw new InitError(usage);
  if (renew) {
    const changed = await renewInstallation(folder);
    console.log(`init: renewed (${changed.join(', ')}). Next: docker compose up --detach --wait --force-recreate`);
  } else {
    await writeInstallation({ folder, site: site ?? 'localhost', isNonRoot: isNonRoot ?? false });
    console.log('init: done. Next: docker compose up --detach --wait; then docker compose logs server shows the link');
  }
} catch (error) {
  const isUsage = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof InitError) && !isUsage) throw error;
  console.error(`init: ${(error as Error).message}`);
  process.exit(2);
}
