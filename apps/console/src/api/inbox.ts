// The inbox: its feed, which all tabs get over one connection, and the list. Not in `queries.ts`: the login page needs neither.

import { queryOptions } from '@tanstack/react-query';
import { connection } from './connection.ts';
import { createInboxFeed } from './inbox-feed.ts';
import { client } from './login.ts';

export const inboxFeed = createInboxFeed({
  follow: (cursor, { signal, onConnection }) =>
    client.followInbox(
      { cursor },
      {
        signal,
        onConnection: (state) => {
          // Every page follows the inbox, so this tells of the server for all of them.
          if (!signal.aborted) connection.tell(state);
          onConnection(state);
        },
      },
    ),
});

/** Without a shared worker each tab would need a connection for it, and a browser has six for all of them: then it is polled. */
export const canFollow = 'SharedWorker' in globalThis;

export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: ({ signal }) => client.listInbox({ limit: 100 }, { signal }),
  // The stream says when the list has changed. It is polled only while the stream is lost, or a read has failed.
  staleTime: ({ state }) =>
    inboxFeed.isCurrent(state.data?.version) ? Number.POSITIVE_INFINITY : inboxFeed.read().status === 'live' ? 0 : 2000,
  refetchInterval: ({ state }) => {
    if (inboxFeed.isCurrent(state.data?.version)) return false;
    return canFollow || document.visibilityState !== 'visible' ? 30_000 : 10_000;
  },
  refetchIntervalInBackground: true,
});
