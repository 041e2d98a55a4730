// The configuration of a NATS server: its users, and the subjects on which each may publish and subscribe.

import { nkeys } from '@nats-io/nats-core';
import { replyWindowMs } from '../transport/request.ts';
import { isToken } from '../wire/subject.ts';
import { inboxPrefix, type Member, type Role, roles, userOf } from '../wire/subjects.ts';
import { arbiterQueue, arbiterUser, askedSubject, endSubject } from './arbiter.ts';
import { type Permissions, permissionsOf } from './permissions.ts';

export interface NatsConfigOptions {
  port: number;
  host?: string;
  serverName?: string;
  passwords: BusPasswords;
  maxPayloadBytes?: number;
  /** The files of the server's certificate and its key, as the server sees them. With them no one connects in plain text. */
  tls?: { cert: string; key: string };
  /** The public half of the key with which agents let in hosts that have no user here. Only for NATS 2.10 and newer. */
  joins?: { issuer: string };
  /** Where this is one of several nodes. */
  cluster?: ClusterOptions;
}

/** How the nodes of a bus speak with each other. All have the same password, and each the addresses of all. */
export interface ClusterOptions {
  port: number;
  host?: string;
  /** Of the nodes alone: whoever has it speaks with the rights of a node. */
  password: string;
  /** HOST:PORT of the nodes, as they reach each other. One of them may be this node itself. */
  routes: string[];
  /** Both sides show a certificate, which this authority has signed and which names the host of the route. */
  tls?: { cert: string; key: string; authority: string };
}

/**
 * By id. A process with a user of its own can be removed alone, and no other process may read its replies. Servers may share a user,
 * and agents another; a host may not, because its user is its id.
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
  tls,
  joins,
  cluster,
}: NatsConfigOptions): string {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError('port must be from 1 to 65535');
  if (!Number.isInteger(maxPayloadBytes) || maxPayloadBytes < 1)
    throw new RangeError('maxPayloadBytes must be positive');
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new TypeError('host must be a name or an address');
  if (!isToken(serverName)) throw new TypeError('serverName must be a plain name');
  checkFiles(tls);
  const users = membersOf(passwords).map((member) => userLine(permissionsOf(member), member.password));
  // NATS takes an empty list of users for "no password needed".
  if (users.length === 0) throw new TypeError('a bus without users would let everybody in');
  const asks = joins ? asksAgents(joins.issuer, passwords) : undefined;
  return `server_name: "${serverName}"
host: "${host}"
port: ${port}
max_payload: ${maxPayloadBytes}
max_control_line: 4096
write_deadline: "5s"
# A host whose machine vanished without a word is unsubscribed after these, and only then are there "no responders".
ping_interval: "5s"
ping_max: 2
${tls ? `tls { cert_file: "${tls.cert}", key_file: "${tls.key}", timeout: 5 }\n` : ''}${asks?.accounts ?? ''}${cluster ? clusterBlock(cluster) : ''}authorization {
  timeout: 2
  users: [
${[...(asks?.users ?? []), ...users].join('\n')}
  ]
${asks?.callout ?? ''}}
`;
}

/** NATS asks agents about everybody who is not named here: each agent has one more user, which hears that and may answer. */
function asksAgents(issuer: string, passwords: BusPasswords) {
  if (!/^A[A-Z2-7]{55}$/.test(issuer)) throw new TypeError('the issuer must be the public key of an account');
  const agents = Object.entries(passwords.agents);
  const arbiters = agents.map(([id, password]) => {
    const user = arbiterUser(id);
    const subscribe = [`${askedSubject} ${arbiterQueue}`, `${inboxPrefix(user)}.>`];
    return userLine({ user, publish: [endSubject], subscribe, noSubscribe: [], answers: true }, password);
  });
  const named = [...agents.map(([id]) => arbiterUser(id)), ...membersOf(passwords).map(userOf)];
  // NATS sends a nonce, without which a proof could be shown twice, only where some user has a key. The key of this one is thrown away.
  const nobody = `{ nkey: "${nkeys.createUser().getPublicKey()}", permissions: { publish: { deny: ">" }, subscribe: { deny: ">" } } }`;
  return {
    accounts: `system_account: SYS\naccounts {\n  SYS { users: [\n${arbiters.join('\n')}\n  ] }\n}\n`,
    users: [`    ${nobody}`],
    callout: `  auth_callout { issuer: "${issuer}", account: SYS, auth_users: ${list(named)} }\n`,
  };
}

const routeUser = 'node';

function clusterBlock({ port, host = '127.0.0.1', password, routes, tls }: ClusterOptions): string {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError('port must be from 1 to 65535');
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new TypeError('host must be a name or an address');
  // A plain password has characters that an address gives a meaning to.
  if (!/^[A-Za-z0-9_-]{16,256}$/.test(password))
    throw new TypeError('the password of the nodes must be 16 to 256 of A-Z a-z 0-9 _ -');
  for (const route of routes)
    if (!/^[A-Za-z0-9.-]+:\d{1,5}$/.test(route)) throw new TypeError('a route must be a host and a port');
  checkFiles(tls);
  const addresses = routes.map((route) => `"nats-route://${routeUser}:${password}@${route}"`);
  const files = tls && `cert_file: "${tls.cert}", key_file: "${tls.key}", ca_file: "${tls.authority}"`;
  return `cluster {
  name: "pilothouse"
  host: "${host}"
  port: ${port}
  # Clients have the addresses of all nodes by their settings.
  no_advertise: true
  authorization { user: "${routeUser}", password: "${password}", timeout: 5 }
${files ? `  tls { ${files}, verify: true, timeout: 5 }\n` : ''}  routes: [${addresses.join(', ')}]
}
`;
}

function checkFiles(files: object | undefined): void {
  for (const file of Object.values(files ?? {}))
    if (!/^\/[A-Za-z0-9._/-]+$/.test(file)) throw new TypeError('files of tls must be plain absolute paths');
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
