import { z } from 'zod';

/** A moment as we tell it: RFC 3339, UTC, with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ id: 'Timestamp' });

/** A moment as a caller asks for it: UTC, any precision. PostgreSQL knows no year 0, and nothing of ours is older. */
export const TimeParam = z.iso
  .datetime()
  .max(40)
  .refine((value) => value >= '1970', 'must not be before 1970');
