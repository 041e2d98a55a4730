// Ids of rows.

import { v7 } from 'uuid';

/** UUIDv7: it begins with the time of its creation, so new rows are added at the end of every index. */
export const newId = (): string => v7();
