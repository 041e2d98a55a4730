import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { makeCertificate } from '../../../testkit/certificate.ts';
import { docBlock } from '../../../testkit/doc-blocks.ts';
import { root } from '../../../testkit/stack/folders.ts';
import { freePort, spawnServer } from '../testing/nats.ts';
import { newSeed, publicKeyOf } from './access/host-key.ts';
import { connectBus } from './transport/connect.ts';

const users = ['server-1', 'server-2', 'agent-1', 'agent-2', 'browser-1'];
const passwordOf = (name: string) => `the-password-of-${name}`;
const run = promisify(execFile);

describe('the command that writes the configuration of NATS', () => {
  const trusted = getCACertificates('default');
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-nats-config-'));
    const made = await makeCertificate('localhost');
    const files = { 'cert.pem': made.cert, 'key.pem': made.key, 'authority.pem': made.authority };
    const secrets = Object.fromEntries(users.map((name) => [name, `${passwordOf(name)}\n`]));
    for (const [name, text] of Object.entries({ ...files, ...secrets, 'nodes-password': passwordOf('nodes') }))
      await writeFile(join(dir, name), text, { mode: 0o600 });
    setDefaultCACertificates([...trusted, made.authority]);
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await rm(dir, { recursive: true, force: true });
  });

  const config = () => join(dir, 'pilothouse.conf');
  /** The commands of the guide, in a folder of this test and on a port of its own. */
  const write = (code: string, port: number) =>
    run(
      'bash',
      [
        '-euc',
        code.replaceAll(/\/etc\/(nats|pilothouse\/secrets)/g, dir).replace('0.0.0.0', `127.0.0.1 --port ${port}`),
      ],
      { cwd: root, timeout: 30_000 },
    );
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
  const isTaken = () => run('nats-server', ['-t', '-c', config()], { env, timeout: 10_000 });
  const command = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'nats-config.main.ts'), ...args], {
      cwd: dir,
      encoding: 'utf8',
      timeout: 30_000,
    });

  it('as in the guide, makes a server that lets in each user by its password, and nobody else', async () => {
    const port = await freePort();
    await write(docBlock('docs/operate/nats.md', 'npm run --silent nats-config -- --host').code, port);
    await isTaken();
    const server = await spawnServer(config());
    const servers = `tls://localhost:${port}`;
    try {
      for (const name of users) {
        const user = name.startsWith('browser') ? `host-${name}` : name;
        const bus = await connectBus({ servers, user, password: passwordOf(name), name: user });
        assert.ok(await bus.ping({ timeoutMs: 2000 }), user);
        await bus.close();
        const wrong = { servers, user, password: passwordOf('nobody'), name: user, connectTimeoutMs: 1000 };
        await assert.rejects(connectBus(wrong), user);
      }
    } finally {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
  });

  it('as in the guide, makes a node of several', async () => {
    await write(docBlock('docs/operate/nats.md', 'npm run --silent nats-config -- --name').code, await freePort());
    await isTaken();
    const text = await readFile(config(), 'utf8');
    assert.match(text, /^server_name: "nats-1"$/m);
    for (const node of [1, 2, 3]) assert.ok(text.includes(`@nats-${node}:6222"`));
    assert.match(text, /verify: true/);
  });

  it('takes the new password where a file holds the former one too, and the public half of the key of agents', async () => {
    const seed = newSeed('signing');
    await writeFile(join(dir, 'signing-key'), seed);
    await writeFile(join(dir, 'replaced'), `${passwordOf('new')},${passwordOf('former')}\n`);
    const { status, stdout, stderr } = command('agent-1=replaced', '--join-signing-key', 'signing-key');
    assert.equal(status, 0, stderr);
    assert.ok(stdout.includes(passwordOf('new')));
    assert.ok(!stdout.includes(passwordOf('former')) && !stdout.includes(seed));
    assert.ok(stdout.includes(`issuer: "${publicKeyOf(seed)}"`));
  });

  it('prints nothing where something is wrong, and says what', () => {
    for (const [args, said] of [
      [[], /usage:/],
      [['server-1'], /server-1 is not USER=FILE/],
      [['browser-1=browser-1'], /is not USER=FILE/],
      [['server-1=missing'], /missing/],
      [['server-1=server-1', 'server-1=server-2'], /twice/],
      [['server-1=server-1', '--port', '0'], /port/],
      [['server-1=server-1', '--cert', '/cert.pem'], /belong together/],
      [['server-1=server-1', '--route', 'a:6222'], /--nodes-password/],
      [['server-1=server-1', '--unknown', 'x'], /usage:/],
    ] as const) {
      const { status, stdout, stderr } = command(...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, said);
    }
  });
});
