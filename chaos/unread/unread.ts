// Whoever asks and does not read: sockets of every kind of answer, opened by one user or by a guest, and what they cost the
// server and everybody else. Real parts, and a page of noise in a real browser, whose pictures are as large as they get.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@pilothouse/sdk';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { startAsker } from './asker.ts';

/** One way to ask for much: the answer to each number of it may differ. */
export type Kind = { name: string; pathOf: (n: number) => string; headers: Record<string, string> };
export type Noise = Awaited<ReturnType<typeof openNoise>>;

const megabyte = 1024 * 1024;
const viewport = { width: 3840, height: 2160 };
const password = 'a long enough password';

/** A page that no picture of can be small. */
async function startNoisePage() {
  const html = `<!doctype html><title>Noise</title><body style="margin:0"><canvas width="${viewport.width}" height="${viewport.height}"></canvas>
<script>const context = document.querySelector('canvas').getContext('2d');
const image = context.createImageData(${viewport.width}, ${viewport.height});
for (let at = 0; at < image.data.length; at += 65536) crypto.getRandomValues(image.data.subarray(at, at + 65536));
for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
context.putImageData(image, 0, 0);</script>`;
  const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const close = () => {
    site.close();
    site.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}`, close };
}

/** A stack in which one user has a browser at that page, shared with a guest, and another user has nothing to do with it. */
export async function openNoise(stack: Stack) {
  const [site, port] = await Promise.all([startNoisePage(), freePort()]);
  await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: false, sites: [site.url] });
  const baseUrl = `http://127.0.0.1:${port}`;
  const newUser = async (name: string) => {
    const username = `${name}-${randomBytes(4).toString('hex')}`;
    const open = createClient({ baseUrl });
    await open.register({ username, email: `${username}@example.test`, password });
    const { access_token: token } = await open.login({ username_or_email: username, password });
    return {
      token,
      client: createClient({ baseUrl, token: () => token }),
      headers: { authorization: `Bearer ${token}` },
    };
  };
  const [owner, other] = [await newUser('owner'), await newUser('other')];
  const { session } = await owner.client.createSession({ viewport });
  const steps = [
    { action: 'navigate' as const, url: site.url },
    { action: 'navigate' as const, url: `${site.url}/again` },
  ];
  const { task_id: taskId } = await owner.client.sendChat({ prompt: 'look', steps, session_id: session.id });
  for (let waited = 0; (await owner.client.getTaskStatus({ id: taskId })).status.status !== 'success'; waited += 200) {
    if (waited > 60_000) throw new Error('the page of noise was not opened');
    await sleep(200);
  }
  const { share } = await owner.client.shareSession({ id: session.id });
  const { data } = await owner.client.listObservations({ id: taskId });
  const pictures = data.observations.flatMap(({ artifact }) => artifact ?? []);
  const images = pictures.map(({ path }) => path);
  const pid = stack.status().processes['server-1']?.pid;
  if (!pid || images.length === 0) throw new Error('there is no server, or no picture');
  return {
    baseUrl,
    port,
    pid,
    owner,
    other,
    guest: { headers: { 'x-share-token': share.share_token } },
    sessionId: session.id,
    taskId,
    images,
    /** Of the first one. */
    imageBytes: pictures[0]?.byte_len ?? 0,
    close: site.close,
  };
}

/** Sockets that ask and never read, until they are closed. */
export function openUnread(port: number, { pathOf, headers }: Kind, count: number): Socket[] {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Array.from({ length: count }, (_, n) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET ${pathOf(n)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${head.join('')}\r\n`);
    return socket;
  });
}

/** Of these, how many the server still holds open: a socket that does not read would not notice. */
export function stillOpen(port: number, sockets: Socket[]): number {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/net/tcp', 'latin1').split('\n');
  const held = new Set(
    lines.flatMap((line) => {
      const [, own = '', peer = '', state] = line.trim().split(/\s+/);
      return own.endsWith(`:${hex(port)}`) && state === '01' ? [peer.slice(-4)] : [];
    }),
  );
  return sockets.filter(({ localPort = 0 }) => held.has(hex(localPort))).length;
}

/** Nothing of a process that is gone. */
export function megabytesOf(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'latin1') : '';
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

/** The most memory that the server has until it is stopped. */
export function watchMemory(pid: number) {
  let most = megabytesOf(pid);
  const timer = setInterval(() => {
    most = Math.max(most, megabytesOf(pid));
  }, 100);
  return {
    most: () => most,
    stop: () => clearInterval(timer),
  };
}

/** Every kind of answer that can be large, as the owner of the session asks for it. */
export const kindsOfOwner = ({ sessionId, taskId, images, owner: { headers } }: Noise): Kind[] =>
  [
    { name: 'images embedded', pathOf: () => `/api/tasks/${taskId}/observations?include=image` },
    { name: 'images by path', pathOf: (n: number) => images[n % images.length] ?? '' },
    { name: 'session detail', pathOf: () => `/api/sessions/${sessionId}` },
    { name: 'screenshot as JSON', pathOf: () => `/api/tasks/${taskId}/screenshot?format=json` },
    { name: 'live streams', pathOf: () => `/api/sessions/${sessionId}/live` },
    { name: 'bundles', pathOf: () => `/api/streams?${tagged(sessionId, 4)}` },
    { name: 'bundles of 100 tags', pathOf: () => `/api/streams?${tagged(sessionId, 100)}` },
    { name: 'recording', pathOf: () => `/api/sessions/${sessionId}/recording` },
    { name: 'status', pathOf: () => `/api/tasks/${taskId}/status` },
    { name: 'documents', pathOf: () => '/api/openapi.json' },
    { name: 'the page', pathOf: () => '/page/contract/index.ts' },
  ].map((kind) => ({ ...kind, headers }));

/** The same of who has only the link of a share. */
export const kindsOfGuest = ({ sessionId, guest: { headers } }: Noise): Kind[] =>
  [
    { name: 'bundles of 100 tags by a guest', pathOf: () => `/api/streams?${tagged(sessionId, 100)}` },
    { name: 'bundles by a guest', pathOf: () => `/api/streams?${tagged(sessionId, 4)}` },
    { name: 'live streams by a guest', pathOf: () => `/api/sessions/${sessionId}/live` },
    { name: 'session detail by a guest', pathOf: () => `/api/sessions/${sessionId}` },
  ].map((kind) => ({ ...kind, headers }));

const tagged = (sessionId: string, count: number) =>
  Array.from({ length: count }, (_, n) => `stream=live:${sessionId}~t${n}`).join('&');

const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.95)] ?? 0;

/** Reads slowly, but reads: how many bytes came, and in how many milliseconds. */
export async function readSlowly(
  noise: Noise,
  bytesPerSec: number,
  onBegun?: () => void,
): Promise<{ bytes: number; ms: number }> {
  const kind = { name: 'slow', pathOf: () => noise.images[0] ?? '', headers: noise.owner.headers };
  const [socket] = openUnread(noise.port, kind, 1);
  if (!socket) throw new Error('no socket');
  const begun = performance.now();
  let bytes = 0;
  for (let isOver = false; !isOver && bytes < noise.imageBytes; ) {
    const chunk: Buffer | null = socket.read();
    bytes += chunk?.length ?? 0;
    if (chunk) onBegun?.();
    isOver = socket.destroyed || socket.readableEnded || performance.now() - begun > 60_000;
    await sleep(chunk ? (chunk.length / bytesPerSec) * 1000 : 20);
  }
  socket.destroy();
  return { bytes, ms: Math.round(performance.now() - begun) };
}

/**
 * Everything is read once by honest callers, also by as many at a time: what a process takes for that it keeps, whether
 * it is needed again or not, and it is no part of what is left unread.
 */
export async function warmUp(noise: Noise, sockets: number): Promise<void> {
  const read = async ({ pathOf, headers }: Kind, n: number) => {
    const answer = await fetch(noise.baseUrl + pathOf(n), { headers });
    await answer.arrayBuffer();
  };
  const [embedded, image, detail, screenshot] = kindsOfOwner(noise);
  for (let n = 0; n < 10; n += 1)
    for (const kind of [embedded, image, detail, screenshot]) if (kind) await read(kind, n);
  const status = kindsOfOwner(noise).find(({ name }) => name === 'status');
  if (status) await Promise.all(Array.from({ length: sockets }, (_, n) => read(status, n)));
}

type KindFigures = {
  kind: string;
  most_mb: number;
  /**
   * What another user waited for each answer: before, in the time after which unread sockets are cut (or until the last
   * one was), and of that while they all came at once.
   */
  before: number[];
  during: number[];
  burst: number[];
  still_open: number;
};
type Asker = ReturnType<typeof startAsker>;

const beforeMs = 5000;
/** As long as a server waits for a peer that takes nothing. */
const unreadMs = 10_000;
/** The first answers, while the sockets all come at once; afterwards they are only left unread. */
const burstAsks = 50;

async function leaveKindUnread(noise: Noise, asker: Asker, kind: Kind, sockets: number): Promise<KindFigures> {
  const { pid, port } = noise;
  asker.begin();
  await sleep(beforeMs);
  const before = await asker.end();
  const base = megabytesOf(pid);
  const memory = watchMemory(pid);
  asker.begin();
  const opened = openUnread(port, kind, sockets);
  await sleep(unreadMs);
  const begun = performance.now();
  while (stillOpen(port, opened) > 0 && performance.now() - begun < 20_000) await sleep(250);
  const during = await asker.end();
  const left = stillOpen(port, opened);
  memory.stop();
  for (const socket of opened) socket.destroy();
  await sleep(500);
  const burst = during.slice(0, burstAsks);
  return { kind: kind.name, most_mb: memory.most() - base, before, during, burst, still_open: left };
}

/** Opens `count` sockets of each kind, one kind after the other, and measures what they cost the server. */
export async function leaveUnread(noise: Noise, sockets: number) {
  const asker = startAsker({ baseUrl: noise.baseUrl, token: noise.other.token });
  try {
    await warmUp(noise, sockets);
    const base = megabytesOf(noise.pid);
    const results: KindFigures[] = [];
    for (const kind of [...kindsOfOwner(noise), ...kindsOfGuest(noise)]) {
      const result = await leaveKindUnread(noise, asker, kind, sockets);
      results.push(result);
      console.error(JSON.stringify({ kind: result.kind, most_mb: result.most_mb, ...timesOf([result]) }));
    }
    const slow = await readSlowly(noise, 256 * 1024);
    return {
      sockets,
      kinds: results.length,
      image_mb: round(noise.imageBytes / megabyte),
      base_mb: base,
      most_mb_of_a_kind: Math.max(...results.map(({ most_mb }) => most_mb)),
      grown_mb_after_all: megabytesOf(noise.pid) - base,
      // All of them together: of each kind alone there are too few to tell the load of a machine from that of the sockets.
      ...timesOf(results),
      still_open: results.reduce((sum, one) => sum + one.still_open, 0),
      slow_reader: { ...slow, is_served: slow.bytes >= noise.imageBytes },
    };
  } finally {
    await asker.close();
  }
}

function timesOf(results: readonly KindFigures[]) {
  const of = (part: 'before' | 'during' | 'burst') => p95(results.flatMap((one) => one[part]));
  const [before, during, burst] = [of('before'), of('during'), of('burst')];
  return {
    asked: results.reduce((sum, one) => sum + one.during.length, 0),
    p95_before_ms: round(before),
    p95_during_ms: round(during),
    p95_burst_ms: round(burst),
    p95_ratio: Math.round((during / before) * 100) / 100,
  };
}
const round = (value: number) => Math.round(value * 10) / 10;
