import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ApiError, ConnectionError } from '@pilothouse/sdk';
import { readConfig } from '../config.ts';
import { connect, isSafe, toServerUrl } from './connect.ts';
import { openCredentials } from './credentials.ts';
import { CommandFailure, failureOf } from './failure.ts';

const home = mkdtempSync(join(tmpdir(), 'cli-home-'));
after(() => rmSync(home, { recursive: true }));

describe('credentials', () => {
  const dir = join(home, 'config/pilothouse');
  const credentials = openCredentials(dir);

  it('lie in a file that only its owner can read, also where a wider one was there', () => {
    assert.equal(credentials.isExposed(), undefined);
    credentials.keep('http://a.test', { api_key: 'phk_a', username: 'ada' });
    assert.equal(statSync(credentials.path).mode & 0o777, 0o600);
    assert.equal(statSync(dir).mode & 0o777, 0o700);
    chmodSync(credentials.path, 0o644);
    assert.equal(credentials.isExposed(), true);
    credentials.keep('http://b.test', { api_key: 'phk_b' });
    assert.equal(credentials.isExposed(), false);
  });

  it('are one for each server, the newest login is current, and nothing is left after the last', () => {
    assert.equal(credentials.current(), 'http://b.test');
    assert.equal(credentials.of('http://a.test')?.api_key, 'phk_a');
    credentials.forget('http://b.test');
    assert.equal(credentials.current(), 'http://a.test');
    assert.ok(!readFileSync(credentials.path, 'utf8').includes('phk_b'));
    credentials.forget('http://a.test');
    assert.ok(!existsSync(credentials.path));
  });

  it('that cannot be read are not taken for none', () => {
    writeFileSync(credentials.path, '{');
    assert.throws(() => credentials.current(), CommandFailure);
    rmSync(credentials.path);
  });
});

describe('which server', () => {
  const credentials = openCredentials(join(home, 'other'));
  const config = readConfig({ XDG_CONFIG_HOME: '', PILOTHOUSE_URL: '' }, '/home/ada');

  it('is the option, the setting, the last login, and then this machine', () => {
    assert.equal(config.configDir, '/home/ada/.config/pilothouse');
    assert.equal(connect(undefined, config, credentials).url, 'http://127.0.0.1:4000');
    credentials.keep('https://kept.test', { api_key: 'phk_kept' });
    const kept = connect(undefined, config, credentials);
    assert.deepEqual([kept.url, kept.token], ['https://kept.test', 'phk_kept']);
    const set = readConfig({ PILOTHOUSE_URL: 'https://set.test/', PILOTHOUSE_API_KEY: 'phk_set' }, '/home/ada');
    assert.deepEqual(
      [connect(undefined, set, credentials).url, connect(undefined, set, credentials).token],
      ['https://set.test', 'phk_set'],
    );
    assert.equal(connect('given.test:4000', set, credentials).url, 'https://given.test:4000');
    assert.equal(connect('http://stranger.test', config, credentials).token, undefined, 'a key goes to its own server');
  });

  it('is asked over https where nothing else is said, and over http on this machine', () => {
    assert.deepEqual(
      [
        ...['a.test', 'a.test:443', 'A.test:80/path', 'http://a.test', '10.0.0.7:4000', '127.evil.test'],
        ...['localhost', 'localhost:4000', '127.0.0.1:4000', '[::1]:4000', 'https://localhost'],
      ].map(toServerUrl),
      [
        ...['https://a.test', 'https://a.test', 'https://a.test:80', 'http://a.test'],
        ...['https://10.0.0.7:4000', 'https://127.evil.test'],
        ...['http://localhost', 'http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'],
        'https://localhost',
      ],
    );
  });

  it('is an address of HTTP, and safe only where nobody can listen', () => {
    for (const text of ['', 'ftp://a.test', 'http://', 'a b'])
      assert.throws(() => toServerUrl(text), CommandFailure, text);
    assert.deepEqual(
      [
        'https://a.test',
        'http://127.0.0.1:4000',
        'http://localhost',
        'http://[::1]:1',
        'http://a.test',
        'http://127.evil.test',
      ].map(isSafe),
      [true, true, true, true, false, false],
    );
  });
});

it('failures have an exit code and say what to do', () => {
  const problem = {
    type: 'about:blank',
    title: 't',
    status: 401,
    detail: 'No token.',
    success: false as const,
    code: 'token_missing' as const,
    request_id: 'r',
  };
  assert.equal(failureOf(new ApiError(problem))?.exit, 'login');
  assert.equal(failureOf(new ConnectionError('no way'))?.exit, 'unreachable');
  const errors = [{ pointer: '/prompt', message: 'is required' }];
  const refused = failureOf(new ApiError({ ...problem, status: 422, code: 'validation_failed', errors }, 7));
  assert.deepEqual(
    [refused?.exit, refused?.message, refused?.hint],
    ['failed', 'No token.\n  prompt is required', 'Try again in 7 s.'],
  );
  assert.equal(failureOf(new TypeError('a fault of ours')), undefined);
});
