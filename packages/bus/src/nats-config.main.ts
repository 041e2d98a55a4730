// npm run nats-config -- USER=FILE …: prints the configuration of a NATS server with these users. Secrets come by files, because
// everyone on a machine may read the arguments of its commands.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { publicKeyOf } from './access/host-key.ts';
import { type BusPasswords, natsConfig, passwordsOf } from './access/nats-config.ts';
import { roles } from './wire/subjects.ts';

const usage = `usage: nats-config [options] USER=FILE ...
  USER is server-ID, agent-ID or host-ID; FILE holds its password
  --host ADDRESS, --port P       where it listens: 127.0.0.1 and 4222
  --name N                       the name of this node
  --cert FILE, --key FILE        its certificate, as NATS sees the files; without them it is not encrypted
  --join-signing-key FILE        the key of agents that let in hosts without a user (NATS 2.10)
  --route HOST:PORT              of each node, where there are several
  --nodes-password FILE          of the nodes alone
  --nodes-port P                 where the other nodes reach this one: 6222
  --nodes-authority FILE         who signed the certificates of the nodes`;

class UsageError extends Error {}

/** While a password is replaced the file holds the new and the former one: NATS gets the new. */
const secretIn = (file: string) => (readFileSync(file, 'utf8').split(',', 1)[0] ?? '').trim();

function readPasswords(given: string[]): BusPasswords {
  const passwords: BusPasswords = { servers: {}, agents: {}, hosts: {} };
  for (const one of given) {
    const [user = '', ...rest] = one.split('=');
    const [file, role] = [rest.join('='), roles.find((name) => user.startsWith(`${name}-`))];
    if (!role || file === '') throw new UsageError(`${one} is not USER=FILE`);
    const [id, ofRole] = [user.slice(role.length + 1), passwordsOf(passwords, role)];
    if (Object.hasOwn(ofRole, id)) throw new UsageError(`${user} is there twice`);
    ofRole[id] = secretIn(file);
  }
  return passwords;
}

function configOf(args: string[]): string {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...{ host: text, port: text, name: text, cert: text, key: text, 'join-signing-key': text },
      route: { ...text, multiple: true },
      ...{ 'nodes-password': text, 'nodes-port': text, 'nodes-authority': text },
    },
  });
  const { host = '127.0.0.1', port = '4222', name, cert, key, route: routes = [] } = values;
  if (!cert !== !key) throw new UsageError('--cert and --key belong together');
  const tls = cert && key ? { cert, key } : undefined;
  const { 'nodes-password': nodesPassword, 'nodes-authority': authority, 'nodes-port': nodesPort = '6222' } = values;
  if (routes.length > 0 && !nodesPassword) throw new UsageError('--route needs --nodes-password');
  if (routes.length > 0 && tls && !authority) throw new UsageError('--route with --cert needs --nodes-authority');
  const nodes = { port: Number(nodesPort), host, routes, ...(tls && authority && { tls: { ...tls, authority } }) };
  const signingKey = values['join-signing-key'];
  return natsConfig({
    port: Number(port),
    host,
    passwords: readPasswords(positionals),
    ...(name && { serverName: name }),
    ...(tls && { tls }),
    ...(signingKey && { joins: { issuer: publicKeyOf(secretIn(signingKey)) } }),
    ...(routes.length > 0 && nodesPassword && { cluster: { ...nodes, password: secretIn(nodesPassword) } }),
  });
}

try {
  const args = process.argv.slice(2);
  if (args.length === 0) throw new UsageError('name the users');
  process.stdout.write(configOf(args));
} catch (error) {
  const isUsage =
    error instanceof UsageError || `${(error as NodeJS.ErrnoException).code}`.startsWith('ERR_PARSE_ARGS');
  console.error(`nats-config: ${(error as Error).message}${isUsage ? `\n${usage}` : ''}`);
  process.exitCode = 2;
}
