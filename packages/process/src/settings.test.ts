import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { z } from 'zod';
import {
  addressOf,
  busOf,
  busSettings,
  flag,
  keys,
  port,
  readSettings,
  SettingsError,
  wholeNumber,
} from './settings.ts';

const schema = z.object({
  PORT: port.default(4000),
  WORKERS: wholeNumber(1, 8).default(2),
  OPEN: flag.default(false),
  DATABASE_URL: addressOf('postgresql:'),
  PASSWORD: z.string().min(8),
});
const good = { DATABASE_URL: 'postgresql://h/db', PASSWORD: 'long enough' };

describe('settings', () => {
  it('come from the environment, with defaults where nothing is set', () => {
    const settings = readSettings(schema, { ...good, OPEN: 'true', WORKERS: '', UNKNOWN: 'ignored' });
    assert.deepEqual(settings, { PORT: 4000, WORKERS: 2, OPEN: true, ...good });
  });

  it('let a flag win over the environment', () => {
    assert.equal(readSettings(schema, { ...good, PORT: '1' }, { PORT: '2' }).PORT, 2);
  });

  it('name every bad key at once, and never a value', () => {
    const env = { PORT: '99999', WORKERS: 'many', OPEN: 'yes', PASSWORD: 'hunter2' };
    assert.throws(
      () => readSettings(schema, env),
      (error: Error) => {
        for (const key of ['PORT', 'WORKERS', 'OPEN', 'DATABASE_URL', 'PASSWORD'])
          assert.match(error.message, new RegExp(`${key}: `));
        assert.match(error.message, /DATABASE_URL: is required/);
        assert.doesNotMatch(error.message, /hunter2|99999|many/);
        return true;
      },
    );
  });

  it('take keys of 32 bytes in base64, one or several, and nothing that only looks like one', () => {
    const withKeys = z.object({ KEYS: keys.default([]) });
    const key = (byte: number, length = 32) => Buffer.alloc(length, byte).toString('base64');
    assert.deepEqual(readSettings(withKeys, {}).KEYS, []);
    assert.deepEqual(readSettings(withKeys, { KEYS: `${key(1)}, ${key(2)}` }).KEYS, [
      Buffer.alloc(32, 1),
      Buffer.alloc(32, 2),
    ]);
    for (const KEYS of [key(1, 31), key(1, 33), `${key(1)},`, key(1).replace('=', ''), 'x'.repeat(44), `${key(1)};x`])
      assert.throws(
        () => readSettings(withKeys, { KEYS }),
        (error: Error) => error.message.includes('KEYS: must be') && !error.message.includes(KEYS),
      );
  });

  describe('that are secret', () => {
    const withSecrets = z.object({
      NATS_PASSWORD: z.string().min(3),
      PROFILE_KEY: keys.default([]),
      OPENAI_API_KEY: z.string().default('none'),
      PORT: port.default(1),
    });
    const folder = mkdtempSync(join(tmpdir(), 'pilothouse-settings-'));
    after(() => rmSync(folder, { recursive: true }));
    const file = (text: string, mode = 0o600) => {
      const path = join(folder, randomUUID());
      writeFileSync(path, text, { mode });
      return path;
    };

    it('may come by a file, without the end of its line', () => {
      const PROFILE_KEY_FILE = file(Buffer.alloc(32, 7).toString('base64'));
      const settings = readSettings(withSecrets, { NATS_PASSWORD_FILE: file('from a file\n'), PROFILE_KEY_FILE });
      assert.deepEqual(settings, {
        NATS_PASSWORD: 'from a file',
        PROFILE_KEY: [Buffer.alloc(32, 7)],
        OPENAI_API_KEY: 'none',
        PORT: 1,
      });
    });

    it('are a mistake where their file is empty, but for keys of models, which are not set then', () => {
      const given = { NATS_PASSWORD: 'abc', OPENAI_API_KEY_FILE: file('') };
      assert.equal(readSettings(withSecrets, given).OPENAI_API_KEY, 'none');
      for (const name of ['NATS_PASSWORD', 'PROFILE_KEY'])
        assert.throws(
          () =>
            readSettings(withSecrets, {
              NATS_PASSWORD: 'abc',
              NATS_PASSWORD_FILE: undefined,
              [`${name}_FILE`]: file('\n'),
            }),
          new RegExp(`${name}_FILE: is empty`),
        );
    });

    it('are checked like any other, never shown, and not looked for where they are not', () => {
      const wrong = (env: Record<string, string>, message: RegExp) =>
        assert.throws(
          () => readSettings(withSecrets, env),
          (error: Error) => {
            assert.match(error.message, message);
            assert.doesNotMatch(error.message, /hunter2|xy/);
            return true;
          },
        );
      wrong({ NATS_PASSWORD_FILE: file('xy') }, /NATS_PASSWORD: /);
      wrong({ NATS_PASSWORD_FILE: join(folder, 'none') }, /NATS_PASSWORD_FILE: cannot be read \(ENOENT\)$/);
      wrong({ NATS_PASSWORD_FILE: '/dev/fd/987' }, /NATS_PASSWORD_FILE: cannot be read \(EBADF\)$/);
      wrong({ NATS_PASSWORD: 'hunter2', NATS_PASSWORD_FILE: file('hunter2') }, /NATS_PASSWORD: is set twice/);
      // Only secrets have such a file.
      const settings = readSettings(withSecrets, { NATS_PASSWORD: 'abc', PORT_FILE: file('9') });
      assert.equal(settings.PORT, 1);
    });

    it('warn when every user of the machine can read their file', async () => {
      const warned = once(process, 'warning');
      readSettings(withSecrets, { NATS_PASSWORD_FILE: file('open to all', 0o644) });
      const [{ message }] = await warned;
      assert.match(message, /holds a secret and can be read by every user of this machine/);
    });

    it('may come by an open descriptor, and then stand neither in the environment nor on a disk', async () => {
      const code = `import { readSettings } from '${import.meta.dirname}/settings.ts';
        import { readFileSync } from 'node:fs';
        import { z } from 'zod';
        const schema = z.object({ NATS_PASSWORD: z.string() });
        const { NATS_PASSWORD } = readSettings(schema, process.env);
        const isShown = readFileSync('/proc/self/environ', 'utf8').includes(NATS_PASSWORD);
        let again; try { readSettings(schema, process.env) } catch (error) { again = error.message }
        console.log(JSON.stringify({ NATS_PASSWORD, isShown, again }));`;
      const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
        env: { ...process.env, NATS_PASSWORD_FILE: '/dev/fd/3' },
        stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
        cwd: import.meta.dirname,
      });
      (child.stdio[3] as Writable).end('canary-51c2');
      const [text] = await once(child.stdout as Readable, 'data');
      const { again, ...read } = JSON.parse(text);
      assert.deepEqual(read, { NATS_PASSWORD: 'canary-51c2', isShown: false });
      assert.match(again, /NATS_PASSWORD_FILE: cannot be read/);
    });
  });

  it('refuse numbers that only look like one', () => {
    for (const PORT of ['1.5', '-1', 'x', '0x1z', '1e9'])
      assert.throws(() => readSettings(schema, { ...good, PORT }), /PORT/);
  });
});

describe('where the bus is', () => {
  const schema = z.object(busSettings);
  const good = { NATS_PASSWORD: 'one' };
  const read = (NATS_URL: string) => readSettings(schema, { ...good, NATS_URL }).NATS_URL;

  it('may be several nodes, all with TLS or none', () => {
    assert.deepEqual(read('tls://a:4222, tls://b:4222'), ['tls://a:4222', 'tls://b:4222']);
    for (const wrong of ['http://a', 'tls://a:4222,', 'tls://a:4222,nats://b:4222'])
      assert.throws(() => read(wrong), SettingsError, wrong);
  });

  it('takes the password from its file again each time, and keeps the last while there is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bus-settings-'));
    const file = join(folder, 'password');
    try {
      const given = { NATS_URL: ['tls://a'], NATS_PASSWORD: 'first' };
      const { password } = busOf(given, { NATS_PASSWORD_FILE: file });
      assert.equal(password(), 'first');
      writeFileSync(file, 'second,first\n', { mode: 0o600 });
      assert.equal(password(), 'second,first');
      rmSync(file);
      assert.equal(password(), 'second,first');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
