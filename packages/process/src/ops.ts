import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';

export type Ops = {
  /** Where the process registers its own metrics. */
  metrics: Registry;
  port: number;
  close(): Promise<void>;
};

/**
 * What operators ask, on a port of its own that is not shown to the world: `/metrics` for Prometheus, `/ready` for
 * whoever waits until the process can work.
 */
export async function startOps({ port, host, isReady, metrics = new Registry() }: OpsOptions): Promise<Ops> {
  // Each look at the event loop wakes the process: at the 10 ms of the library, that is most of what an idle one does.
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 200 });

  const answer = async (url: string | undefined, response: ServerResponse) => {
    if (url === '/metrics') {
      const text = await metrics.metrics();
      response.setHeader('content-type', metrics.contentType).end(text);
    } else if (url === '/ready') {
      const ready = await isReady();
      response.writeHead(ready ? 200 : 503).end(ready ? 'ready\n' : 'not ready\n');
    } else {
      response.writeHead(404).end();
    }
  };
  const server = createServer((request, response) => {
    // A question that cannot be answered must not end the process that was asked.
    answer(request.url, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  return {
    metrics,
    // Listening on TCP, so the address is of this kind.
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
  /** Where the process has registered its metrics, if it did so before this. */
  metrics?: Registry;
  isReady: () => boolean | Promise<boolean>;
};
