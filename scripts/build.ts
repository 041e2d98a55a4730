// npm run build: makes the console (apps/console/dist) if anything that goes into it has changed. With --force: always.
import { buildConsole } from '../testkit/console-build.ts';

const isBuilt = await buildConsole({ force: process.argv.includes('--force') });
if (!process.argv.includes('--quiet'))
  console.log(isBuilt ? 'build: the console is built' : 'build: the console is up to date');
