import { createFileBlobs } from './blobs.ts';
import { openDatabase } from './db.ts';
import { createEvents } from './events.ts';
import { createHosts } from './hosts.ts';
import { createSessions } from './sessions.ts';
import { createUsers } from './users.ts';

export type StoreOptions = {
  url: string;
  blobDir: string;
  poolSize?: number;
  /** Told of connections that broke while nobody used them. */
  onError: (error: Error) => void;
};

/** All that Pilothouse remembers. */
export function openStore({ url, blobDir, poolSize, onError }: StoreOptions) {
  const database = openDatabase({ url, poolSize, onError });
  return {
    users: createUsers(database),
    sessions: createSessions(database),
    events: createEvents(database),
    hosts: createHosts(database),
    blobs: createFileBlobs(blobDir),
    transaction: database.transaction,
    ping: database.ping,
    close: database.close,
  };
}
export type Store = ReturnType<typeof openStore>;
