// npm run build: makes the console (apps/console/dist) if anything that goes into it is newer. With --force: always.
import { buildConsole } from '../testkit/console-build.ts';

const made = await buildConsole({ force: process.argv.includes('--force') });
console.log(made ? 'build: the console is built' : 'build: the console is up to date');
