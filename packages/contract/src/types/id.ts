// Ids.

import { z } from 'zod';

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** An id in a response: UUIDv7 in lower case. */
export const Uuid7 = z.string().regex(uuid7).meta({ id: 'Uuid7', format: 'uuid' });

/**
 * An id as a caller sends it, in a path, a query or a body. Any string passes: a malformed id is answered 404 like an
 * unknown one (400 on the observations of a task), never as a failed validation. Handlers ask `isId` before they look.
 */
export const IdParam = z.string();

/** Whether the value is well-formed. */
export const isId = (value: string): boolean => uuid7.test(value);
