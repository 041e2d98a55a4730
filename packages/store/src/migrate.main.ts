// npm run migrate: brings the database named by DATABASE_URL to the present schema.
import { migrate } from './migrate.ts';

const url = process.env.DATABASE_URL;
if (!url) {
  console.error('migrate: set DATABASE_URL to the database to migrate');
  process.exit(2);
}
await migrate(url);
