// Streams whose right to watch ends, in each of the ways in which it can, at the server that is told of it and at another.

import { type Client, createClient } from '@pilothouse/sdk';
import { startTestServer, type TestServer } from '../../apps/server/testing/server.ts';

const password = 'a lamp in the harbour';
const openMs = 10_000;
const endMs = 10_000;

/** For each way, how many streams ended and how long after the answer the last of them did. */
export async function revokeStreams(streams: number) {
  const one = await startTestServer({ isAuthDisabled: false });
  const other = await one.another();
  try {
    const ways: Record<string, (count: number) => Promise<StreamEnds>> = {
      logout: (count) => endLogin(one, other, count, (client) => client.logout()),
      logout_all: (count) => endLogin(one, other, count, (client) => client.logoutAll()),
      disabled: (count) =>
        endLogin(one, other, count, async (client) => {
          const { id } = await client.getMe();
          await one.store.users.setDisabled(id, true);
        }),
      share_revoked: (count) => endShare(one, other, count, (client, id) => client.unshareSession({ id })),
    };
    const each = Math.ceil(streams / Object.keys(ways).length);
    const figures: Record<string, StreamEnds> = {};
    for (const [way, end] of Object.entries(ways)) figures[way] = await end(each);
    const all = Object.values(figures);
    return {
      streams: all.reduce((sum, { opened }) => sum + opened, 0),
      ended: all.reduce((sum, { ended }) => sum + ended, 0),
      last_ms: Math.max(...all.map(({ last_ms }) => last_ms)),
      ways: figures,
    };
  } finally {
    await one.close();
  }
}

type StreamEnds = { opened: number; ended: number; last_ms: number };

async function newUser({ baseUrl }: TestServer): Promise<{ client: Client; token: string; sessionId: string }> {
  const username = `user${Math.random().toString(36).slice(2)}`;
  await createClient({ baseUrl }).register({ username, email: `${username}@example.test`, password });
  const { access_token: token } = await createClient({ baseUrl }).login({ username_or_email: username, password });
  const client = createClient({ baseUrl, token: () => token });
  const { session } = await client.createSession();
  return { client, token, sessionId: session.id };
}

async function endLogin(one: TestServer, other: TestServer, count: number, end: (client: Client) => Promise<unknown>) {
  const { client, token, sessionId } = await newUser(one);
  const headers = { authorization: `Bearer ${token}` };
  return watchTheEnd([one, other], { count, sessionId, headers }, () => end(client));
}

async function endShare(
  one: TestServer,
  other: TestServer,
  count: number,
  end: (client: Client, id: string) => Promise<unknown>,
) {
  const { client, sessionId } = await newUser(one);
  const { share } = await client.shareSession({ id: sessionId });
  const headers = { 'x-share-token': share.share_token };
  return watchTheEnd([one, other], { count, sessionId, headers }, () => end(client, sessionId));
}

type Watching = { count: number; sessionId: string; headers: Record<string, string> };

async function watchTheEnd(
  servers: TestServer[],
  { count, sessionId, headers }: Watching,
  end: () => Promise<unknown>,
): Promise<StreamEnds> {
  const streams = await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const { baseUrl } = servers[i % servers.length] ?? {};
      return openStream(`${baseUrl}/api/sessions/${sessionId}/live`, headers);
    }),
  );
  await end();
  const answered = performance.now();
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, endMs));
  const ends = await Promise.all(streams.map(({ ended }) => Promise.race([ended, late])));
  const times = ends.filter((at) => at !== undefined);
  for (const { close } of streams) close();
  return { opened: count, ended: times.length, last_ms: Math.round(Math.max(0, ...times.map((at) => at - answered))) };
}

/** A stream by a plain request: one that resumes by itself would hide its end. */
async function openStream(url: string, headers: Record<string, string>) {
  const stop = new AbortController();
  const answer = await fetch(url, {
    headers,
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(openMs + endMs)]),
  });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  const ended = (async () => {
    for await (const _ of answer.body ?? []);
    return performance.now();
  })().catch(() => performance.now());
  return { ended, close: () => stop.abort() };
}
