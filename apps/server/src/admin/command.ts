// The commands of the operator, as they are typed.

/** The command was understood, and is refused. */
export class Refusal extends Error {}

const userCommands = ['promote', 'demote', 'disable', 'enable', 'unlock', 'set-password', 'logins'] as const;
export type UserCommand = (typeof userCommands)[number];
export type Command =
  | { name: UserCommand; user: string }
  | { name: 'list' }
  | { name: 'hosts' }
  /** Lets one person register, also where registration is closed. */
  | { name: 'invite'; role: 'user' | 'admin' }
  /** Seals everything with the first key of PROFILE_KEY. */
  | { name: 'reseal' }
  /** Copies all blobs from one folder or bucket to another. */
  | { name: 'copy-blobs'; from: string; to: string }
  /** One that joined by itself. */
  | { name: 'remove-host'; host: string }
  /** `maxSessions` null: the default of the agents. */
  | { name: 'host'; host: string; maxSessions: number | null };

export const usage = `usage: admin ${userCommands.join('|')} <name or e-mail>
       admin list
       admin hosts
       admin invite [admin]
       admin reseal
       admin copy-blobs <from> <to>, each a folder (/…) or s3://bucket/prefix
       admin host <host id> <how many sessions it may hold, or "default">
       admin remove-host <id of a host that joined by itself>
The new password of set-password is read from the input, never from the command line.`;

const mostSessions = 10_000;

/** Undefined if there is no such command. */
export function parseCommand([name, user, ...rest]: string[]): Command | undefined {
  if (name === 'list' || name === 'hosts' || name === 'reseal') return user === undefined ? { name } : undefined;
  if (name === 'invite' && rest.length === 0 && (user === undefined || user === 'admin'))
    return { name, role: user ?? 'user' };
  if (name === 'copy-blobs')
    return user && rest[0] && rest.length === 1 ? { name, from: user, to: rest[0] } : undefined;
  if (name === 'host') return parseHost(user, rest);
  if (name === 'remove-host') return user && isHost(user) && rest.length === 0 ? { name, host: user } : undefined;
  const known = userCommands.find((one) => one === name);
  return known && user && rest.length === 0 ? { name: known, user } : undefined;
}

const isHost = (text: string) => /^[A-Za-z0-9_-]{1,128}$/.test(text);

function parseHost(host: string | undefined, [given, ...rest]: string[]): Command | undefined {
  if (!host || !isHost(host) || given === undefined || rest.length > 0) return undefined;
  if (given === 'default') return { name: 'host', host, maxSessions: null };
  const isRoom = /^\d{1,5}$/.test(given) && Number(given) <= mostSessions;
  return isRoom ? { name: 'host', host, maxSessions: Number(given) } : undefined;
}

export const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;

/** In the audit, apart from what users do themselves. */
export const auditEventOf = (name: Command['name']) => `admin_${name.replace('-', '_')}`;
export const auditData = { by: 'command' };
