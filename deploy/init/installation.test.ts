import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { publicKeyOf } from '@pilothouse/bus';

const isRoot = process.getuid?.() === 0;

describe('init', { skip: !isRoot }, () => {
  let parent: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'pilothouse-init-test-'));
  });
  after(() => rm(parent, { recursive: true, force: true }));

  const init = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { encoding: 'utf8', timeout: 60_000 });
  const read = (folder: string, name: string) => readFile(join(folder, name), 'utf8');
  const namedBy = async (folder: string) =>
    [...(await read(folder, 'compose.yaml')).matchAll(/file: \.\/secrets\/([\w-]+)/g)].map(([, name = '']) => name);

  it('writes every file that the compose file names, each secret for one user alone', async () => {
    const folder = join(parent, 'first');
    assert.equal(init(folder).status, 0);
    const secrets = await readdir(join(folder, 'secrets'));
    assert.deepEqual(secrets.toSorted(), (await namedBy(folder)).toSorted());
    const modes = await Promise.all(
      secrets.map(async (name) => {
        const { mode, uid } = await stat(join(folder, 'secrets', name));
        return [name, `${(mode & 0o777).toString(8)} ${uid}`] as const;
      }),
    );
    const { 'bus-authority': authority, 'nats-certificate': certificate, ...secret } = Object.fromEntries(modes);
    assert.deepEqual([authority, certificate], ['444 10001', '444 10001']);
    for (const [name, mode] of Object.entries(secret)) {
      const uid = name === 'host-join' ? 0 : /^(postgres|database)-password$/.test(name) ? 999 : 10_001;
      assert.equal(mode, `400 ${uid}`, name);
    }
    const bind = [...(await read(folder, 'compose.yaml')).matchAll(/"\.\/([\w.]+):/g)].map(([, name = '']) => name);
    for (const name of [...bind, 'seccomp.json', '.env', 'settings.env'])
      assert.ok(existsSync(join(folder, name)), name);
    assert.match(await read(folder, '.env'), /^BROWSER_USER=0:0$/m);
    assert.match(await read(folder, 'settings.env'), /^REGISTRATION=invite$/m);
  });

  it('makes everything secret at random, and prints none of it', async () => {
    const [one, two] = [join(parent, 'one'), join(parent, 'two')];
    const said = [init(one), init(two)].map(({ stdout, stderr }) => `${stdout}${stderr}`).join('');
    for (const name of await namedBy(one)) {
      const [first, second] = [await read(one, `secrets/${name}`), await read(two, `secrets/${name}`)];
      if (first === '') continue;
      assert.notEqual(first, second, name);
      assert.ok(!said.includes(first), name);
    }
  });

  it('gives the bus a certificate that its authority signed, and a user to each process', async () => {
    const folder = join(parent, 'bus');
    assert.equal(init(folder).status, 0);
    const [certificate, authority] = await Promise.all(
      ['nats-certificate', 'bus-authority'].map(
        async (name) => new X509Certificate(await read(folder, `secrets/${name}`)),
      ),
    );
    assert.ok(certificate && authority);
    assert.ok(certificate.verify(authority.publicKey));
    assert.equal(certificate.checkHost('nats'), 'nats');
    assert.equal(certificate.checkHost('server'), undefined);
    const config = await read(folder, 'secrets/nats-config');
    const users = [...config.matchAll(/user: "([\w-]+)", password: "([\w-]+)"/g)].map(([, user, password]) => [
      user,
      password,
    ]);
    assert.deepEqual(users, [
      ['arbiter-1', await read(folder, 'secrets/agent-1')],
      ['server-1', await read(folder, 'secrets/server-1')],
      ['agent-1', await read(folder, 'secrets/agent-1')],
    ]);
    // Hosts have none: agents decide who comes, and NATS believes the key that only they have.
    const signs = publicKeyOf(await read(folder, 'secrets/host-join-signing-key'));
    assert.match(config, new RegExp(`auth_callout \\{ issuer: "${signs}"`));
    assert.equal(publicKeyOf(await read(folder, 'secrets/host-join')), await read(folder, 'secrets/host-join-keys'));
    assert.match(config, /tls \{ cert_file/);
  });

  it('overwrites nothing, and changes nothing where something is already', async () => {
    const folder = join(parent, 'taken');
    await mkdir(folder);
    await writeFile(join(folder, '.env'), 'MINE=1\n');
    const { status, stderr } = init(folder);
    assert.equal(status, 2);
    assert.match(stderr, /already \(\.env\); nothing was changed/);
    assert.deepEqual(await readdir(folder), ['.env']);
    assert.equal(await read(folder, '.env'), 'MINE=1\n');
  });

  it('answers everyone only under a name that was given, and lets hosts do without root', async () => {
    const folder = join(parent, 'named');
    assert.equal(init(folder, '--site', 'pilot.example.com', '--non-root-browsers').status, 0);
    const env = await read(folder, '.env');
    assert.match(env, /^SITE_ADDRESS=pilot\.example\.com$/m);
    assert.match(env, /^LISTEN=0\.0\.0\.0$/m);
    assert.match(env, /^BROWSER_USER=10001:10001$/m);
    assert.match(await read(folder, 'settings.env'), /^ALLOWED_HOSTS=pilot\.example\.com$/m);
    assert.equal((await stat(join(folder, 'secrets/host-join'))).uid, 10_001);
    for (const site of ['http://x', 'a b', '-x', 'x\nLISTEN=0.0.0.0'])
      assert.equal(init(join(parent, 'bad'), `--site=${site}`).status, 2, site);
    assert.ok(!existsSync(join(parent, 'bad')));
  });

  describe('--renew', () => {
    const readAll = async (folder: string) => {
      const names = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
      return Object.fromEntries(
        await Promise.all(files.map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')])),
      ) as Record<string, string>;
    };
    /** As a former version left it, and an operator changed it. */
    async function formerInstallation(name: string, ...args: string[]): Promise<string> {
      const folder = join(parent, name);
      assert.equal(init(folder, ...args).status, 0);
      const edit = async (file: string, change: (text: string) => string) =>
        writeFile(join(folder, file), change(await read(folder, file)));
      await edit('.env', (text) =>
        text.replace(/^IMAGE_VERSION=.*$/m, 'IMAGE_VERSION=0.0.1').replace(/^BROWSERS=.*\n/m, ''),
      );
      await edit('.env', (text) => text.replace('HTTPS_PORT=443', 'HTTPS_PORT=8443\nBROWSER_TMP_SIZE=2g'));
      await edit('settings.env', (text) => text.replace('REGISTRATION=invite', 'REGISTRATION=closed\nLOG_LEVEL=warn'));
      await edit('compose.yaml', (text) => `# of a former version\n${text}`);
      await writeFile(join(folder, 'secrets/openai-api-key'), 'a key of mine');
      await writeFile(
        join(folder, 'secrets/agent-1'),
        `${'n'.repeat(32)},${(await read(folder, 'secrets/agent-1')).trim()}`,
      );
      for (const lost of ['seccomp.json', 'secrets/host-join', 'secrets/host-join-keys']) await rm(join(folder, lost));
      return folder;
    }

    it('keeps what is secret and what was chosen, and brings the rest to this version', async () => {
      const folder = await formerInstallation('former');
      const before = await readAll(folder);
      const { status, stderr, stdout } = init(folder, '--renew');
      assert.equal(status, 0, stderr);
      const after = await readAll(folder);
      for (const [name, text] of Object.entries(before))
        if (name.startsWith('secrets/') && name !== 'secrets/nats-config') assert.equal(after[name], text, name);
      for (const name of await namedBy(folder)) assert.ok(existsSync(join(folder, 'secrets', name)), name);
      for (const [name, from] of [
        ['compose.yaml', 'compose.yaml'],
        ['seccomp.json', 'seccomp/browser.json'],
      ] as const)
        assert.equal(after[name], await read(join(import.meta.dirname, '..'), from), name);
      assert.equal(after['compose.yaml.former'], before['compose.yaml']);

      assert.match(after['.env'] ?? '', /^HTTPS_PORT=8443\nBROWSER_TMP_SIZE=2g$/m);
      assert.match(after['.env'] ?? '', /^BROWSERS=2$/m, 'a setting that is new');
      assert.doesNotMatch(after['.env'] ?? '', /IMAGE_VERSION=0\.0\.1/);
      assert.match(after['settings.env'] ?? '', /^REGISTRATION=closed\nLOG_LEVEL=warn$/m);
      for (const name of ['.env', 'settings.env']) {
        const keys = [...(after[name] ?? '').matchAll(/^(\w+)=/gm)].map(([, key]) => key);
        assert.equal(new Set(keys).size, keys.length, name);
      }
      for (const text of Object.values(before)) if (text.length > 30) assert.ok(!stdout.includes(text));
    });

    it('writes the users of NATS again, out of the passwords and the key that there are', async () => {
      const folder = await formerInstallation('bus-again');
      await writeFile(join(folder, 'secrets/nats-config'), 'port: 4222');
      assert.equal(init(folder, '--renew').status, 0);
      const config = await read(folder, 'secrets/nats-config');
      assert.ok(config.includes(`user: "agent-1", password: "${'n'.repeat(32)}"`));
      assert.ok(config.includes(`user: "server-1", password: "${await read(folder, 'secrets/server-1')}"`));
      assert.ok(config.includes(`issuer: "${publicKeyOf(await read(folder, 'secrets/host-join-signing-key'))}"`));
      assert.equal(publicKeyOf(await read(folder, 'secrets/host-join')), await read(folder, 'secrets/host-join-keys'));
      for (const name of ['nats-config', 'host-join-keys']) {
        const { mode, uid } = await stat(join(folder, 'secrets', name));
        assert.equal(`${(mode & 0o777).toString(8)} ${uid}`, '400 10001', name);
      }
    });

    it('changes nothing more the second time, and asks for nothing that .env says', async () => {
      const folder = await formerInstallation('twice', '--site', 'pilot.example.com', '--non-root-browsers');
      assert.equal(init(folder, '--renew').status, 0);
      const { 'secrets/nats-config': _, ...once } = await readAll(folder);
      assert.match(once['.env'] ?? '', /^SITE_ADDRESS=pilot\.example\.com$/m);
      assert.equal((await stat(join(folder, 'secrets/host-join'))).uid, 10_001);
      assert.equal(init(folder, '--renew').status, 0);
      const { 'secrets/nats-config': __, ...again } = await readAll(folder);
      assert.deepEqual(again, once);
      assert.equal(init(folder, '--renew', '--site=other.example.com').status, 2);
    });

    it('leaves a folder alone that holds no installation', async () => {
      const folder = join(parent, 'empty');
      await mkdir(folder);
      const { status, stderr } = init(folder, '--renew');
      assert.equal(status, 2);
      assert.match(stderr, /no installation in this folder/);
      assert.deepEqual(await readdir(folder), []);
    });
  });
});
