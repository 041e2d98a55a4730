// The configuration of a NATS server: its users, and the subjects on which each may publish and subscribe.

import { replyWindowMs } from '../transport/request.ts';
import { isToken } from '../wire/subject.ts';
import { type Member, type Role, roles } from '../wire/subjects.ts';
import { type Permissions, permissionsOf } from './permissions.ts';

export interface NatsConfigOptions {
  port: number;
  host?: string;
  serverName?: string;
  passwords: BusPasswords;
  maxPayloadBytes?: number;
}

/**
 * By id: every process has a user of its own, so that it can be removed alone, and no other process reads its replies.
 */
export interface BusPasswords {
  servers: Record<string, string>;
  agents: Record<string, string>;
  hosts: Record<string, string>;
}

export const passwordsOf = (passwords: BusPasswords, role: Role): Record<string, string> => passwords[`${role}s`];

/** All members, with their passwords. */
export const membersOf = (passwords: BusPasswords): (Member & { password: string })[] =>
  roles.flatMap((role) =>
    Object.entries(passwordsOf(passwords, role)).map(([id, password]) => ({ role, id, password })),
  );

const defaultMaxPayloadBytes = 8 * 1024 * 1024;

/** The text of a config file for nats-server. It holds passwords: only its owner may read the file. */
export function natsConfig({
  port,
  host = '127.0.0.1',
  serverName = 'pilothouse',
  passwords,
  maxPayloadBytes = defaultMaxPayloadBytes,
}: NatsConfigOptions): string {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError('port must be from 1 to 65535');
  if (!Number.isInteger(maxPayloadBytes) || maxPayloadBytes < 1)
    throw new RangeError('maxPayloadBytes must be positive');
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new TypeError('host must be a name or an address');
  if (!isToken(serverName)) throw new TypeError('serverName must be a plain name');
  const users = membersOf(passwords).map((member) => userLine(permissionsOf(member), member.password));
  // NATS takes an empty list of users for "no password needed".
  if (users.length === 0) throw new TypeError('a bus without users would let everybody in');
  return `server_name: "${serverName}"
host: "${host}"
port: ${port}
max_payload: ${maxPayloadBytes}
max_control_line: 4096
write_deadline: "5s"
# A host whose machine vanished without a word is unsubscribed after these, and only then are there "no responders".
ping_interval: "5s"
ping_max: 2
authorization {
  timeout: 2
  users: [
${users.join('\n')}
  ]
}
`;
}

function userLine({ user, publish, subscribe, noSubscribe, answers }: Permissions, password: string): string {
  const responses = answers ? `, allow_responses: { max: 1, expires: "${replyWindowMs / 1000}s" }` : '';
  const hears = `{ allow: ${list(subscribe)}${noSubscribe.length > 0 ? `, deny: ${list(noSubscribe)}` : ''} }`;
  const permissions = `{ publish: { allow: ${list(publish)} }, subscribe: ${hears}${responses} }`;
  return `    { user: "${user}", password: "${plainPassword(user, password)}", permissions: ${permissions} }`;
}

function list(subjects: string[]): string {
  return `[${subjects.map((subject) => `"${subject}"`).join(', ')}]`;
}

// NATS gives meaning to quotes, backslashes, line ends and a leading "$" (a variable, or a bcrypt hash), so they
// are refused and not escaped: passwords between machines are generated, and need none of them.
function plainPassword(user: string, password: string): string {
  if (/^[A-Za-z0-9_.~+/=-]{16,256}$/.test(password)) return password;
  throw new TypeError(`the bus password of ${user} must be 16 to 256 of A-Z a-z 0-9 _ . ~ + / = -`);
}
