import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';

const env = {
  DATABASE_URL: 'postgresql://h/db',
  NATS_URL: 'nats://h:4222',
  NATS_PASSWORD: 'x',
  BLOB_DIR: '/var/lib/blobs',
};

describe('the settings of the server', () => {
  it('name every bad key at once', () => {
    const wrong = {
      ...env,
      PORT: 'high',
      DATABASE_URL: 'mysql://h/db',
      NATS_PASSWORD: '',
      LOGIN_LIMIT_PER_ADDRESS: '0',
    };
    assert.throws(
      () => readConfig([], wrong),
      (error: Error) => {
        for (const key of ['PORT', 'DATABASE_URL', 'NATS_PASSWORD', 'LOGIN_LIMIT_PER_ADDRESS'])
          assert.ok(error.message.includes(`${key}: `), key);
        return true;
      },
    );
  });

  it('let flags override the environment, and refuse unknown flags', () => {
    assert.equal(readConfig(['--port', '4100'], { ...env, PORT: '4000' }).port, 4100);
    assert.throws(() => readConfig(['--prot', '4100'], env));
  });

  it('have authentication on unless it is switched off', () => {
    assert.equal(readConfig([], env).isAuthDisabled, false);
    assert.equal(readConfig(['--disable-auth'], env).isAuthDisabled, true);
  });

  it('do not open browsers to other machines without authentication, unless a second flag says so', () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.test', '127.0.0.1.example.test']) {
      assert.throws(() => readConfig(['--disable-auth', '--host', host], env), /HOST/, host);
      assert.equal(
        readConfig(['--disable-auth', '--disable-auth-on-every-address', '--host', host], env).isOpenToAll,
        true,
      );
      assert.equal(readConfig(['--host', host], env).host, host, 'with authentication it may listen anywhere');
    }
    for (const host of ['127.0.0.1', '127.8.9.10', '::1', 'localhost']) {
      assert.equal(readConfig(['--disable-auth', '--host', host], env).host, host);
    }
  });

  it('limit what models use for a person in a day only where that is set', () => {
    assert.deepEqual(readConfig([], env).modelLimits, { tokens: 0, costMicros: 0 });
    const given = { ...env, MODEL_TOKENS_PER_USER_DAY: '5000', MODEL_COST_PER_USER_DAY: '2.5' };
    assert.deepEqual(readConfig([], given).modelLimits, { tokens: 5000, costMicros: 2_500_000 });
    assert.throws(() => readConfig([], { ...env, MODEL_COST_PER_USER_DAY: '-1' }), /MODEL_COST_PER_USER_DAY: /);
  });

  it('have quotas, and keep no profiles unless there is a key for them', () => {
    const { quotas, profileKeys } = readConfig([], env);
    const bytes = { fileBytes: 1024 ** 3, stateBytes: 256 * 1024 ** 2, pictureBytes: 2 * 1024 ** 3 };
    assert.deepEqual(quotas, { tasks: 20, sessions: 50, profiles: 50, ...bytes });
    assert.deepEqual(profileKeys, []);
    const key = Buffer.alloc(32, 1);
    const given = { ...env, QUOTA_OPEN_TASKS: '3', PROFILE_KEY: key.toString('base64') };
    assert.equal(readConfig([], given).quotas.tasks, 3);
    assert.deepEqual(readConfig([], given).profileKeys, [key]);
    assert.throws(
      () => readConfig([], { ...env, PROFILE_KEY: 'too short', QUOTA_OPEN_SESSIONS: '0' }),
      (error: Error) => ['PROFILE_KEY: ', 'QUOTA_OPEN_SESSIONS: '].every((name) => error.message.includes(name)),
    );
  });

  it('reads keys of evidence as PEM and as base64, and refuses what is none', () => {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const seed = Buffer.alloc(32, 3);
    const { evidenceSeeds } = readConfig([], { ...env, EVIDENCE_KEY: `${pem},${seed.toString('base64')}` });
    assert.equal(evidenceSeeds[0]?.length, 32);
    assert.deepEqual(evidenceSeeds[1], seed);
    assert.throws(() => readConfig([], { ...env, EVIDENCE_KEY: 'too short' }), /EVIDENCE_KEY: must be Ed25519 keys/);
  });

  it('limit the streams of a user and of an address', () => {
    assert.deepEqual(readConfig([], env).streams, { perUser: 200, perAddress: 1000 });
    const given = { ...env, STREAMS_PER_USER: '3', STREAMS_PER_ADDRESS: '4' };
    assert.deepEqual(readConfig([], given).streams, { perUser: 3, perAddress: 4 });
    assert.throws(() => readConfig([], { ...env, STREAMS_PER_USER: '0' }), /STREAMS_PER_USER: /);
  });

  it('bound the unread bytes of a user and of an address, and accept any host name unless some are listed', () => {
    const megabyte = 1024 * 1024;
    const { unsent, allowedHosts } = readConfig([], env);
    assert.deepEqual(unsent, { perUserBytes: 32 * megabyte, perAddressBytes: 64 * megabyte });
    assert.deepEqual(allowedHosts, []);
    const given = { ...env, UNSENT_MB_PER_USER: '9', UNSENT_MB_PER_ADDRESS: '10', ALLOWED_HOSTS: 'a.test, b.test' };
    assert.deepEqual(readConfig([], given).unsent, { perUserBytes: 9 * megabyte, perAddressBytes: 10 * megabyte });
    assert.deepEqual(readConfig([], given).allowedHosts, ['a.test', 'b.test']);
    assert.throws(() => readConfig([], { ...env, UNSENT_MB_PER_USER: '1' }), /UNSENT_MB_PER_USER: /);
  });

  it('trust no proxy unless one is named', () => {
    assert.deepEqual(readConfig([], env).auth.trustedProxies, []);
    assert.deepEqual(readConfig([], { ...env, TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' }).auth.trustedProxies, [
      '127.0.0.1',
      '10.0.0.0/8',
    ]);
  });
});
