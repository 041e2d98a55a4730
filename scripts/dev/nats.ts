import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsConfig } from '@pilothouse/bus';
import { type Daemon, isAlive, startDaemon, stopDaemon, until } from './daemon.ts';
import { commonEnvironment } from './environment.ts';
import { ownedDir, type Place } from './place.ts';
import { freePort, isListening } from './ports.ts';

export type Nats = { port: number; passwords: Passwords; daemon: Daemon };
/** One for the servers, one for the agents, and one for each browser host, which may speak only for itself. */
export type Passwords = { server: string; agent: string; hosts: Record<string, string> };

/** Hosts are known to the bus by name before they start; a private stack never has more than these. */
const hostIds = Array.from({ length: 16 }, (_, i) => `browser-${i + 1}`);

export const natsUrl = ({ port }: Pick<Nats, 'port'>) => `nats://127.0.0.1:${port}`;

export async function startNats(place: Place, before: Nats | undefined): Promise<Nats> {
  if (before && isAlive(before.daemon)) return before;
  const passwords = before?.passwords ?? newPasswords();
  // One that was killed a moment ago may still be there; those who look for it know only its port.
  const isFree = before && (await until(async () => !(await isListening(before.port)), 3000));
  const port = isFree ? before.port : await freePort();
  const config = join(ownedDir(place.dataDir, place.user), 'nats.conf');
  writeFileSync(config, natsConfig({ port, passwords }), { mode: 0o600 });
  if (place.user) chownSync(config, place.user.uid, place.user.gid);
  const log = join(place.dir, 'nats.log');
  const options = { log, cwd: place.dataDir, env: commonEnvironment(), ...place.user };
  const daemon = startDaemon(program(), ['--config', config], options);
  if (await until(() => isListening(port), 10_000)) return { port, passwords, daemon };
  await stopNats({ daemon });
  throw new Error(`nats-server did not start; see ${log}`);
}

export const stopNats = ({ daemon }: Pick<Nats, 'daemon'>) => stopDaemon(daemon, 'SIGTERM', 10_000);

function newPasswords(): Passwords {
  const password = () => randomBytes(16).toString('hex');
  return { server: password(), agent: password(), hosts: Object.fromEntries(hostIds.map((id) => [id, password()])) };
}

/** Debian puts it where an ordinary user's PATH does not look. */
const program = () => (existsSync('/usr/sbin/nats-server') ? '/usr/sbin/nats-server' : 'nats-server');
