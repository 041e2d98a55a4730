// Everything secret of a new installation, made at random. There is no default for any of it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { natsConfig, newSeed, publicKeyOf } from '@pilothouse/bus';

const run = promisify(execFile);

/** Users of processes, as the images have them. */
const ours = 10_001;
const ofPostgres = 999;

export type Secret = { name: string; text: string; owner: number; isPublic?: boolean };

/** What a folder holds already, by name. */
export type KeptSecrets = Record<string, string>;

/** The files of the folder `secrets`, each with the user whose process reads it. Only the configuration of NATS is always made again. */
export async function makeSecrets(options: { browserUid: number; kept?: KeptSecrets }): Promise<Secret[]> {
  const { browserUid, kept = {} } = options;
  const password = () => randomBytes(32).toString('base64url');
  const keptOr = (name: string, make: () => string) => kept[name] ?? make();
  const database = keptOr('database-password', password);
  const [server, agent] = [keptOr('server-1', password), keptOr('agent-1', password)];
  // Hosts have one key together, with which they may come; agents have the key that signs what they decide.
  const join = keptOr('host-join', () => newSeed('join'));
  const signing = keptOr('host-join-signing-key', () => newSeed('signing'));
  const bus = keptCertificate(kept) ?? (await makeCertificate('nats'));
  const config = natsConfig({
    port: 4222,
    host: '0.0.0.0',
    passwords: { servers: { 1: newestOf(server) }, agents: { 1: newestOf(agent) }, hosts: {} },
    joins: { issuer: publicKeyOf(signing.trim()) },
    tls: { cert: '/run/secrets/nats-certificate', key: '/run/secrets/nats-key' },
  });
  const all: Secret[] = [
    { name: 'postgres-password', text: password(), owner: ofPostgres },
    { name: 'database-password', text: database, owner: ofPostgres },
    { name: 'database-url', text: `postgresql://pilothouse:${database}@postgres:5432/pilothouse`, owner: ours },
    { name: 'profile-key', text: randomBytes(32).toString('base64'), owner: ours },
    { name: 'nats-config', text: config, owner: ours },
    { name: 'nats-key', text: bus.key, owner: ours },
    { name: 'nats-certificate', text: bus.cert, owner: ours, isPublic: true },
    { name: 'bus-authority', text: bus.authority, owner: ours, isPublic: true },
    { name: 'server-1', text: server, owner: ours },
    { name: 'agent-1', text: agent, owner: ours },
    { name: 'host-join', text: join, owner: browserUid },
    { name: 'host-join-keys', text: publicKeyOf(newestOf(join)), owner: ours },
    { name: 'host-join-signing-key', text: signing, owner: ours },
    // For the operator to fill; an empty file counts as not set.
    ...['model-api-keys', 'openai-api-key', 'anthropic-api-key', 'google-api-key'].map((name) => ({
      name,
      text: '',
      owner: ours,
    })),
  ];
  return all.map((one) => ({ ...one, text: one.name === 'nats-config' ? config : (kept[one.name] ?? one.text) }));
}

/** While a password is replaced its file holds the new and the former one. */
const newestOf = (text: string) => (text.split(',', 1)[0] ?? '').trim();

/** Its three files belong together. */
function keptCertificate(kept: KeptSecrets): Certificate | undefined {
  const { 'nats-key': key, 'nats-certificate': cert, 'bus-authority': authority } = kept;
  return key && cert && authority ? { key, cert, authority } : undefined;
}

type Certificate = { key: string; cert: string; authority: string };
const validDays = '3650';

/** Signed by an authority whose key is thrown away at once: it signs nothing else, for nobody. */
async function makeCertificate(name: string): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-init-'));
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder, timeout: 30_000 });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    const authority = ['-x509', '-days', validDays, '-subj', '/CN=Pilothouse bus'];
    await openssl('req', ...authority, ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem');
    await openssl('req', ...fresh, '-keyout', 'bus.key', '-out', 'bus.csr', '-subj', `/CN=${name}`);
    await writeFile(join(folder, 'extensions'), `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth\n`);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', validDays, '-extfile', 'extensions'];
    await openssl('x509', '-req', '-in', 'bus.csr', ...by, '-out', 'bus.pem');
    const read = (file: string) => readFile(join(folder, file), 'utf8');
    const [key, cert, signer] = await Promise.all([read('bus.key'), read('bus.pem'), read('ca.pem')]);
    return { key, cert, authority: signer };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
