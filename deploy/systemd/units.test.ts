import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../testkit/stack/folders.ts';

const analyze = '/usr/bin/systemd-analyze';
const units = Object.fromEntries(
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.service'))
    .map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')]),
);
const instanceOf = (name: string) => name.replace('@.', '@1.');
const settingsOf = (unit: string, key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('the units of the example', () => {
  for (const [name, unit] of Object.entries(units)) {
    const environment = settingsOf(unit, 'Environment').flatMap((line) => line.split(' '));
    const settingOf = (key: string) => environment.find((one) => one.startsWith(`${key}=`))?.slice(key.length + 1);

    it(`give secrets by files that systemd hands out: ${name}`, () => {
      const files = environment.filter((one) => /^\w+_FILE=/.test(one)).map((one) => one.replace(/^\w+=%d\//, ''));
      const handedOut = settingsOf(unit, 'LoadCredential').map((one) => one.split(':')[0]);
      assert.ok(files.length > 0);
      assert.deepEqual(files.sort(), handedOut.sort());
    });

    it(`name settings that there are, and programs: ${name}`, () => {
      const known = readFileSync(join(root, '.env.example'), 'utf8');
      for (const setting of environment.map((one) => one.replace(/(_FILE)?=.*$/, '')))
        assert.ok(setting === 'NODE_ENV' || known.includes(`${setting}=`), setting);
      const [, program = ''] = /^ExecStart=\/usr\/bin\/node (?:--\S+ )?\/opt\/pilothouse\/(.*)$/m.exec(unit) ?? [];
      assert.ok(program !== '' && existsSync(join(root, program)), program);
    });

    it(`give each process the time that it wants to end: ${name}`, { skip: !unit.includes('KillMode') }, () => {
      const drainSecs = Number(settingOf('SERVER_DRAIN_SECS') ?? settingOf('HOST_DRAIN_SECS') ?? 0);
      assert.ok(Number(settingsOf(unit, 'TimeoutStopSec')[0]) >= drainSecs + 15);
    });
  }

  it('let nobody register without an invitation', () => {
    const server = units['pilothouse-server@.service'] ?? '';
    assert.match(server, /^Environment=REGISTRATION=invite PASSWORD_MIN_LENGTH=15$/m);
    // A file of settings wins over these, so an operator may still choose.
    assert.match(server, /^EnvironmentFile=\/etc\/pilothouse\/common\.env$/m);
  });

  it('give hosts neither the database nor a key', () => {
    assert.doesNotMatch(units['pilothouse-browser@.service'] ?? '', /database-url|profile-key|common\.env$/m);
  });
});

describe('systemd', { skip: existsSync(analyze) ? false : 'there is no systemd-analyze' }, () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-units-'));
    // It looks whether programs and users are there.
    for (const [name, unit] of Object.entries(units))
      await writeFile(
        join(dir, name),
        unit.replaceAll('/usr/bin/node', '/bin/true').replace('User=pilothouse\n', 'User=daemon\n'),
      );
  });
  after(() => rm(dir, { recursive: true, force: true }));
  const ask = (...args: string[]) => promisify(execFile)(analyze, args, { cwd: dir, timeout: 30_000 });

  it('takes them without a word', async () => {
    const { stdout, stderr } = await ask(
      'verify',
      '--man=no',
      ...Object.keys(units).map((name) => `./${instanceOf(name)}`),
    );
    assert.equal(stdout + stderr, '');
  });

  // The exposure that systemd counts, from 0 to 10: what they have now, and no more.
  const most = { server: 2, agent: 2, migrate: 2, browser: 6.5 };
  for (const [kind, limit] of Object.entries(most)) {
    it(`counts an exposure of at most ${limit} for ${kind}`, async (test) => {
      const name = Object.keys(units).find((one) => one.startsWith(`pilothouse-${kind}`)) ?? '';
      const { stdout } = await ask('security', '--offline=true', '--no-pager', `./${instanceOf(name)}`);
      const [, exposure = ''] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      test.diagnostic(`${name}: ${exposure}`);
      assert.ok(exposure !== '' && Number(exposure) <= limit, stdout.slice(-300));
    });
  }
});
