// Hands secrets to a process by open descriptors, never by its environment.

import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { secretSettings } from '@pilothouse/process';

type Environment = Record<string, string | undefined>;

/**
 * Takes the secrets out of an environment. The process gets them by open descriptors, from 3 on: what is in its
 * environment could be read for as long as it runs, and what is in a file for even longer.
 */
export function setSecretsApart(env: Environment): { env: Environment; stdio: 'pipe'[]; send(to: ChildProcess): void } {
  const secrets = Object.entries(env).filter(([name, value]) => secretSettings.has(name) && value);
  const rest = Object.entries(env).filter(([name]) => !secretSettings.has(name));
  const files = secrets.map(([name], index) => [`${name}_FILE`, `/dev/fd/${index + 3}`]);
  return {
    env: Object.fromEntries([...rest, ...files]),
    stdio: secrets.map(() => 'pipe'),
    send(child) {
      for (const [index, [, value]] of secrets.entries()) {
        const pipe = child.stdio?.[index + 3];
        if (!(pipe instanceof Socket)) continue;
        // It may have ended already; its caller learns that from its exit.
        pipe.on('error', () => {});
        pipe.end(value ?? '');
        pipe.unref();
      }
    },
  };
}
