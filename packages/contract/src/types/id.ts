// Ids.

import { z } from 'zod';
import { uuid7 } from './is-id.ts';

/** An id in a response: UUIDv7 in lower case. */
export const Uuid7 = z.string().regex(uuid7).meta({ id: 'Uuid7', format: 'uuid' });

/**
 * An id as a caller sends it, in a path, a query or a body. Any string passes: a malformed id is answered 404 like an
 * unknown one (400 on the observations of a task), never as a failed validation. Handlers ask `isId` before they look.
 */
export const IdParam = z.string();
