import { v7 } from 'uuid';

/** UUIDv7: it begins with its time of birth, so new rows land at the end of every index. */
export const newId = (): string => v7();
