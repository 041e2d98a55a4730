// Serves the hogs, and a page that takes nothing. Says its port when it is there.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { hogs, isHog } from './hogs.ts';

/** Below what a single file may have. */
const LARGE_BYTES = 60 * 1024 * 1024;

const quiet = `<!doctype html><title>Quiet</title><button onclick="this.dataset.n = Number(this.dataset.n ?? 0) + 1">Press</button>
  <label>Field <input></label>`;

const server = createServer((request, response) => {
  const name = new URL(request.url ?? '/', 'http://site').pathname.slice(1);
  if (name === 'large') {
    return void response.setHeader('content-disposition', 'attachment').end(Buffer.alloc(LARGE_BYTES));
  }
  response.setHeader('content-type', 'text/html');
  response.end(isHog(name) ? `<!doctype html><title>Hog</title><body><script>${hogs[name].script}</script>` : quiet);
});
server.listen(0, '127.0.0.1', () => {
  // Listening on TCP, so the address is of this kind.
  parentPort?.postMessage((server.address() as AddressInfo).port);
});
