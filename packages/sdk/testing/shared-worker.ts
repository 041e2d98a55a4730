import { MessageChannel } from 'node:worker_threads';
import type { Port, SharedWorkerLike } from '../src/shared/messages.ts';
import { createSwitchboard } from '../src/shared/switchboard.ts';

type Options = { pingMs?: number; turnMs?: number };
type Ends = { port: Port & { close(): void } };

/** `SharedWorker` as pages have it: whoever opens one in this process talks with one switchboard, over real channels. */
export function installSharedWorker(options: Options = {}) {
  const switchboard = createSwitchboard({ fetch, locks: undefined, ...options });
  const opened: Ends[] = [];
  const scope = globalThis as { SharedWorker?: unknown };
  scope.SharedWorker = class implements SharedWorkerLike {
    readonly port: Port;
    onerror = null;
    constructor() {
      const { port1, port2 } = new MessageChannel();
      // The same to both, but for the types of what is said.
      switchboard.connect(port1 as unknown as Port);
      const ends = { port: port2 as unknown as Ends['port'] };
      opened.push(ends);
      this.port = ends.port;
    }
  };
  return {
    /** The tab that opened a worker so many tabs ago is gone, without a word. */
    vanish: (index: number) => opened.at(index)?.port.close(),
    close() {
      delete scope.SharedWorker;
      for (const { port } of opened) port.close();
    },
  };
}
