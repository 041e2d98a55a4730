// The private NATS of a stack: its configuration, its users, its process.

import { randomBytes } from 'node:crypto';
import { chownSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type BusPasswords, type Member, membersOf, natsConfig, passwordsOf, userOf } from '@pilothouse/bus';
import { type Daemon, isAlive, startDaemon, stopDaemon, until } from './daemon.ts';
import { commonEnvironment } from './environment.ts';
import { ownedDir, type Place } from './place.ts';
import { freePort, isListening } from './ports.ts';

export type Nats = { port: number; passwords: BusPasswords; daemon: Daemon };

/** Always known, because NATS takes a list without users for "no passwords needed". */
const firstMember: Member = { role: 'server', id: '1' };
const takenUpMs = 5000;

export const natsUrl = ({ port }: Pick<Nats, 'port'>) => `nats://127.0.0.1:${port}`;

export async function startNats(place: Place, before: Nats | undefined, program: string): Promise<Nats> {
  if (before && isAlive(before.daemon)) return before;
  const passwords = withMembers(before?.passwords, [firstMember]);
  // One that was killed a moment ago may still be there; those who look for it know only its port.
  const isFree = before && (await until(async () => !(await isListening(before.port)), 3000));
  const port = isFree ? before.port : await freePort();
  const config = writeConfig(place, { port, passwords });
  const log = join(place.dir, 'nats.log');
  const options = { log, cwd: place.dataDir, env: commonEnvironment(), ...place.user };
  const daemon = startDaemon(program, ['--config', config], options);
  if (await until(() => isListening(port), 10_000)) return { port, passwords, daemon };
  await stopNats({ daemon });
  throw new Error(`nats-server did not start; see ${log}`);
}

export const stopNats = ({ daemon }: Pick<Nats, 'daemon'>) => stopDaemon(daemon, 'SIGTERM', 10_000);

/**
 * Lets these members sign in and nobody else. The bus goes on: a member that stays keeps its connections, and one that is no
 * longer among them is cut off.
 */
export async function setMembers(place: Place, nats: Nats, members: Member[]): Promise<Nats> {
  const known = withMembers(nats.passwords, []);
  const all = [firstMember, ...members];
  const passwords = withMembers(onlyOf(known, all), all);
  const changed = changeOf(known, passwords);
  if (!changed) return nats;
  writeConfig(place, { ...nats, passwords });
  if (!isAlive(nats.daemon)) return { ...nats, passwords };
  process.kill(nats.daemon.pid, 'SIGHUP');
  const isTakenUp = async () => (await canSignIn(nats.port, changed)) === changed.isAdmitted;
  if (!(await until(isTakenUp, takenUpMs, 20)))
    throw new Error(`nats-server did not take up its new users; see ${join(place.dir, 'nats.log')}`);
  return { ...nats, passwords };
}

function writeConfig(place: Place, { port, passwords }: Pick<Nats, 'port' | 'passwords'>): string {
  const config = join(ownedDir(place.dataDir, place.user), 'nats.conf');
  writeFileSync(config, natsConfig({ port, passwords }), { mode: 0o600 });
  if (place.user) chownSync(config, place.user.uid, place.user.gid);
  return config;
}

const nobody = (): BusPasswords => ({ servers: {}, agents: {}, hosts: {} });

function withMembers(before: BusPasswords | undefined, members: Member[]): BusPasswords {
  // A stack that an older release left written down has none of these.
  const passwords = { ...nobody(), ...structuredClone(before) };
  for (const { role, id } of members) passwordsOf(passwords, role)[id] ??= randomBytes(16).toString('hex');
  return passwords;
}

function onlyOf(passwords: BusPasswords, members: Member[]): BusPasswords {
  const left = nobody();
  for (const member of membersOf(passwords))
    if (members.some((one) => userOf(one) === userOf(member)))
      passwordsOf(left, member.role)[member.id] = member.password;
  return left;
}

type Changed = { user: string; password: string; isAdmitted: boolean };

/** One user by whom it can be told whether NATS has read the new list; none, where nothing changes. */
function changeOf(before: BusPasswords, now: BusPasswords): Changed | undefined {
  const missing = (from: BusPasswords, other: BusPasswords) =>
    membersOf(from).find(({ role, id }) => passwordsOf(other, role)[id] === undefined);
  const [added, removed] = [missing(now, before), missing(before, now)];
  const changed = added ?? removed;
  return changed && { user: userOf(changed), password: changed.password, isAdmitted: added !== undefined };
}

/** Whether NATS lets this user in right now. */
function canSignIn(port: number, { user, password }: Changed): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  const hello = {
    verbose: false,
    pedantic: false,
    tls_required: false,
    user,
    pass: password,
    lang: 'node',
    version: '0',
  };
  let said = '';
  socket.setTimeout(1000, () => socket.destroy());
  socket.on('connect', () => socket.write(`CONNECT ${JSON.stringify(hello)}\r\nPING\r\n`));
  socket.on('data', (bytes) => {
    said += bytes;
    if (/^(PONG|-ERR)/m.test(said)) socket.end();
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(/^PONG/m.test(said)));
  return promise;
}
