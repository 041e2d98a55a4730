// Times.

import { z } from 'zod';

/** A time in a response: RFC 3339, UTC, with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ id: 'Timestamp' });

/** A time in a request: UTC, any precision. PostgreSQL has no year 0, and no row is older than 1970. */
export const TimeParam = z.iso
  .datetime()
  .max(40)
  .refine((value) => value >= '1970', 'must not be before 1970');
