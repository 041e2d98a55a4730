import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { addressOf, flag, keys, port, readSettings, wholeNumber } from './settings.ts';

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

  it('refuse numbers that only look like one', () => {
    for (const PORT of ['1.5', '-1', 'x', '0x1z', '1e9'])
      assert.throws(() => readSettings(schema, { ...good, PORT }), /PORT/);
  });
});
