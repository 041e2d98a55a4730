// The configuration of a NATS server that knows our users and lets each say only what is theirs.

import { agentPermissions, hostPermissions, type Permissions, serverPermissions } from './permissions.ts';
import { REPLY_WINDOW_MS } from './request.ts';
import { isToken } from './subject.ts';

export interface NatsConfigOptions {
  port: number;
  host?: string;
  serverName?: string;
  passwords: BusPasswords;
  maxPayloadBytes?: number;
}

export interface BusPasswords {
  server: string;
  agent: string;
  /** By host id. */
  hosts: Record<string, string>;
}

const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

/** The text of a config file for nats-server. It holds passwords: write it for its owner's eyes only. */
export function natsConfig({
  port,
  host = '127.0.0.1',
  serverName = 'pilothouse',
  passwords,
  maxPayloadBytes = MAX_PAYLOAD_BYTES,
}: NatsConfigOptions): string {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError('port must be from 1 to 65535');
  if (!Number.isInteger(maxPayloadBytes) || maxPayloadBytes < 1)
    throw new RangeError('maxPayloadBytes must be positive');
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new TypeError('host must be a name or an address');
  if (!isToken(serverName)) throw new TypeError('serverName must be a plain name');
  const users = [
    userLine(serverPermissions(), passwords.server),
    userLine(agentPermissions(), passwords.agent),
    ...Object.entries(passwords.hosts).map(([id, password]) => userLine(hostPermissions(id), password)),
  ];
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

function userLine({ user, publish, subscribe, answers }: Permissions, password: string): string {
  const responses = answers ? `, allow_responses: { max: 1, expires: "${REPLY_WINDOW_MS / 1000}s" }` : '';
  const permissions = `{ publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} }${responses} }`;
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
