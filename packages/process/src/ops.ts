// The HTTP port for operators: metrics and readiness. It must not be exposed to the internet.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type Ops = {
  /** Where the process registers its own metrics. */
  metrics: Registry;
  port: number;
  close(): Promise<void>;
};

/**
 * `/metrics` for Prometheus, and `/ready` for a supervisor that waits until the process can work.
 */
export async function startOps(options: OpsOptions): Promise<Ops> {
  const { port, host, isReady, notices = [], metrics = new Registry() } = options;
  // Each sample of the event loop wakes the process: at the library's 10 ms, that is most of the work of an idle
  // process.
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 200 });
  new Gauge({
    name: 'pilothouse_notices',
    help: 'How many things there are to know of how this process runs; /ready says them.',
    registers: [metrics],
  }).set(notices.length);

  const answer = async (url: string | undefined, response: ServerResponse) => {
    if (url === '/metrics') {
      const text = await metrics.metrics();
      response.setHeader('content-type', metrics.contentType).end(text);
    } else if (url === '/ready') {
      const ready = await isReady();
      const lines = [ready ? 'ready' : 'not ready', ...notices.map((notice) => `notice: ${notice}`)];
      response.writeHead(ready ? 200 : 503).end(`${lines.join('\n')}\n`);
    } else {
      response.writeHead(404).end();
    }
  };
  const server = createServer((request, response) => {
    // A failed request must not end the process.
    answer(request.url, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  return {
    metrics,
    // It listens on TCP, so the address is of this kind.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type OpsOptions = {
  port: number;
  host: string;
  /** The registry, if the process has registered metrics before. */
  metrics?: Registry;
  /** Notices for the operator, included in every answer of `/ready`. */
  notices?: string[];
  isReady: () => boolean | Promise<boolean>;
};
