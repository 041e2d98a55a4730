// npm run migrate: brings the database named by DATABASE_URL to the present schema.
import { readFileSync } from 'node:fs';
import { migrate } from './db/migrate.ts';

const { DATABASE_URL, DATABASE_URL_FILE: file } = process.env;
// A descriptor that was handed to us has no name that could be opened.
const descriptor = /^\/dev\/fd\/(\d+)$/.exec(file ?? '')?.[1];
const url = DATABASE_URL || (file && readFileSync(descriptor ? Number(descriptor) : file, 'utf8').trim());
if (!url) {
  console.error('migrate: set DATABASE_URL, or DATABASE_URL_FILE, to the database to migrate');
  process.exit(2);
}
await migrate(url, { log: (line) => console.log(`migrate: ${line}`) });
