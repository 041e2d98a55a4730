import { MessageChannel } from 'node:worker_threads';
import type { Port, SharedWorkerLike } from '../src/shared-tabs/messages.ts';
import { createTabRegistry } from '../src/shared-tabs/tab-registry.ts';

type Options = { pingMs?: number; turnMs?: number };
type Closable = Port & { close(): void };

/** `SharedWorker` as pages have it: all workers of this process talk with one registry, over real channels. */
export function installSharedWorker(options: Options = {}) {
  const registry = createTabRegistry({ fetch, locks: undefined, ...options });
  const opened: Closable[] = [];
  const scope = globalThis as { SharedWorker?: unknown };
  scope.SharedWorker = class implements SharedWorkerLike {
    readonly port: Port;
    onerror = null;
    constructor() {
      const { port1, port2 } = new MessageChannel();
      // The same to both, but for the types of what is said.
      registry.connect(port1 as unknown as Port);
      const port = port2 as unknown as Closable;
      opened.push(port);
      this.port = port;
    }
  };
  return {
    /** That tab and the worker hear nothing more of each other. */
    vanish: (index: number) => opened.at(index)?.close(),
    count: () => opened.length,
    close() {
      delete scope.SharedWorker;
      for (const port of opened) port.close();
    },
  };
}
