// Where a NATS is that can ask agents whom to let in: 2.10 or newer, the machine's own or what scripts/nats-2.10 unpacked.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const places = [
  'nats-server',
  '/usr/sbin/nats-server',
  join(import.meta.dirname, '../../../.tools/nats/usr/sbin/nats-server'),
];

/** Undefined where there is none: what needs it is skipped. */
export function findAskingNats(): string | undefined {
  return places.find((program) => {
    try {
      const [, major = 0, minor = 0] = /v(\d+)\.(\d+)/.exec(execFileSync(program, ['--version']).toString()) ?? [];
      return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
    } catch {
      return false;
    }
  });
}

export const withoutAskingNats = findAskingNats() ? false : 'there is no NATS 2.10: scripts/nats-2.10';
