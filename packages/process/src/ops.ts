// The HTTP port for operators: metrics and readiness. It must not be exposed to the internet.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createFigures, type Figures } from './cached.ts';

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

type Labelled<Label extends string> = { labels: Record<Label, string>; value: number };
type Described<T, Label extends string> = {
  name: string;
  help: string;
  /** At least one: a gauge without labels would show 0 where nothing is known. */
  labelNames: [Label, ...Label[]];
  show: (answer: T) => Labelled<Label>[];
};

/** A gauge without an answer has no values. */
export function exposeFigures<T, Label extends string>(
  metrics: Registry,
  figures: Figures<T>,
  { name, help, labelNames, show }: Described<T, Label>,
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [metrics],
    async collect() {
      const answer = await figures.read();
      this.reset();
      if (answer !== undefined) for (const { labels, value } of show(answer)) this.set(labels, value);
    },
  });
}

/** As old as a round trip may be. */
const roundTripMs = 5000;

/** How long the services that this process needs take to answer; no value for one that does not. */
export function exposeRoundTrips(metrics: Registry, pings: Record<string, () => Promise<boolean>>): void {
  const timed = async (ping: () => Promise<boolean>) => {
    const begun = performance.now();
    return (await ping().catch(() => false)) ? (performance.now() - begun) / 1000 : undefined;
  };
  const ask = () => Promise.all(Object.entries(pings).map(async ([to, ping]) => ({ to, secs: await timed(ping) })));
  const figures = createFigures({ ask, everyMs: roundTripMs });
  exposeFigures(metrics, figures, {
    name: 'pilothouse_round_trip_seconds',
    help: 'How long the last ping took, by the service that was asked; no value for one that did not answer.',
    labelNames: ['to'],
    show: (trips) => trips.flatMap(({ to, secs }) => (secs === undefined ? [] : { labels: { to }, value: secs })),
  });
  exposeFigures(metrics, figures, {
    name: 'pilothouse_reaches',
    help: 'Whether the service answered the last ping: 1 or 0.',
    labelNames: ['to'],
    show: (trips) => trips.map(({ to, secs }) => ({ labels: { to }, value: secs === undefined ? 0 : 1 })),
  });
}
