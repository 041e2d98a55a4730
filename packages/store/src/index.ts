export { type Blobs, createFileBlobs } from './blobs.ts';
export { isDatabaseUnavailable, type Tx } from './db.ts';
export type { Appended, NewEvent, StoredEvent } from './events.ts';
export type { HostReport } from './hosts.ts';
export { newId } from './ids.ts';
export { migrate } from './migrate.ts';
export type { SessionRow } from './sessions.ts';
export { openStore, type Store, type StoreOptions } from './store.ts';
export { type Caller, localUser } from './users.ts';
