// The database's clock. Timestamps are cut to milliseconds, as the API shows them, so that what is read equals what was
// written.

import { sql } from 'kysely';

/** The present time, also within a transaction; PostgreSQL's `now()` is the time at which the transaction began. */
export const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;
