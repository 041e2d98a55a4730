// The site that `bench/browser/guard.ts` asks, on a thread of its own: a site is not in the way of the guard before it.

import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const small = Buffer.alloc(10_000, 'x');
const large = Buffer.alloc(10_000_000, 'x');

const answer: RequestListener = ({ url = '' }, response) => {
  if (url.endsWith('?close')) response.setHeader('connection', 'close');
  response.end(url.startsWith('/large') ? large : small);
};

function listen(server: Server): Promise<number> {
  return new Promise((resolve) =>
    // Listening on TCP, so the address is of this kind.
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
}

const http = await listen(createServer(answer));
const https = await listen(createSecureServer(workerData, answer));
parentPort?.postMessage({ http, https });
