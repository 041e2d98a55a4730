// How many tasks wait for the person. The stream tells it; the list is read again only where it is shown and has changed.

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { canFollow, inboxFeed, inboxQuery } from '../api/inbox.ts';
import { useUser } from '../api/use-user.ts';

export function useInboxCount(): number {
  const userId = useUser()?.id;
  const cache = useQueryClient();
  const { status, count, version } = useSyncExternalStore(inboxFeed.onChange, inboxFeed.read);
  // While the stream is there, the rail reads no list.
  const { data: inbox } = useQuery({ ...inboxQuery, enabled: status === 'lost' });
  useEffect(() => (canFollow ? inboxFeed.start(userId) : inboxFeed.lose()), [userId]);
  useEffect(() => {
    if (status === 'live' && version !== undefined) void readChanged(cache);
  }, [cache, status, version]);
  return (status === 'lost' ? inbox?.items.length : count) ?? count ?? 0;
}

/** A tab that is not seen reads nothing: when it is seen again, the list is older than the stream, and is read then. */
async function readChanged(cache: QueryClient): Promise<void> {
  const isCurrent = () => inboxFeed.isCurrent(cache.getQueryData(inboxQuery.queryKey)?.version);
  const read = () => cache.refetchQueries({ ...inboxQuery, type: 'active' }, { cancelRefetch: false });
  if (document.visibilityState !== 'visible' || isCurrent()) return;
  const wasReading = cache.isFetching({ queryKey: inboxQuery.queryKey }) > 0;
  await read();
  // A read that began before the change may not have it.
  if (wasReading && !isCurrent()) await read();
}
