import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { createModels } from './models.ts';

const env = {
  DATABASE_URL: 'postgresql://127.0.0.1/pilothouse',
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_PASSWORD: 'secret',
  BLOB_DIR: '/tmp/blobs',
};
const keys = { OPENAI_API_KEY: 'sk-canary-openai', ANTHROPIC_API_KEY: 'sk-canary-a', GOOGLE_API_KEY: 'sk-canary-g' };
const read = (given: Record<string, string>) => readConfig({ ...env, ...given }).model;
/** All problems of the settings, without anything that was given. */
const problemsOf = (given: Record<string, string>): string => {
  try {
    read(given);
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'SettingsError');
    assert.doesNotMatch(error.message, /canary/);
    return error.message;
  }
  return 'none';
};

describe('settings of models', () => {
  it('name vendors and servers in order, with their keys, addresses and prices', () => {
    const { models, judge, concurrency, timeoutMs, perUserDay } = read({
      ...keys,
      MODELS:
        'openai/gpt-5.4, anthropic/claude-sonnet-5-20260601,google/gemini-x,local=http://10.0.0.7:8080/v1#qwen3:8b',
      MODEL_API_KEYS: 'local=sk-canary-local',
      MODEL_PRICES: 'openai/gpt-5.4=1.5:12:0.15,local=0.01:0.02',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/v1',
      MODEL_CONCURRENCY: '3',
      MODEL_TIMEOUT_SECS: '7',
      JUDGE_MODEL: 'local',
      MODEL_TOKENS_PER_USER_DAY: '5000',
      MODEL_COST_PER_USER_DAY: '2.5',
    });
    assert.equal(judge, 'local');
    assert.deepEqual(perUserDay, { tokens: 5000, costMicros: 2_500_000 });
    assert.deepEqual([concurrency, timeoutMs], [3, 7000]);
    assert.deepEqual(models, [
      {
        name: 'openai/gpt-5.4',
        provider: 'openai',
        model: 'gpt-5.4',
        wire: 'openai',
        baseUrl: undefined,
        apiKey: 'sk-canary-openai',
        price: { input: 1_500_000, output: 12_000_000, cached: 150_000, cacheWritten: 1_500_000 },
      },
      {
        name: 'anthropic/claude-sonnet-5-20260601',
        provider: 'anthropic',
        model: 'claude-sonnet-5-20260601',
        wire: 'anthropic',
        baseUrl: 'http://127.0.0.1:9/v1',
        apiKey: 'sk-canary-a',
        price: { input: 2_000_000, cached: 200_000, cacheWritten: 2_500_000, output: 10_000_000 },
      },
      {
        name: 'google/gemini-x',
        provider: 'google',
        model: 'gemini-x',
        wire: 'google',
        baseUrl: undefined,
        apiKey: 'sk-canary-g',
        price: undefined,
      },
      {
        name: 'local',
        provider: 'local',
        model: 'qwen3:8b',
        wire: 'compatible',
        baseUrl: 'http://10.0.0.7:8080/v1',
        apiKey: 'sk-canary-local',
        price: { input: 10_000, output: 20_000, cached: 10_000, cacheWritten: 10_000 },
      },
    ]);
  });

  it('may be left out, and keys without models are not needed', () => {
    assert.deepEqual(read({ ...keys }), {
      ...{ models: [], judge: undefined, concurrency: 32, timeoutMs: 120_000 },
      perUserDay: { tokens: 0, costMicros: 0 },
    });
  });

  it('take keys from files', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'keys-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'key');
    writeFileSync(file, 'sk-canary-file\n', { mode: 0o600 });
    const { models } = read({ MODELS: 'openai/gpt-x', OPENAI_API_KEY_FILE: file });
    assert.equal(models[0]?.apiKey, 'sk-canary-file');
    const local = join(folder, 'local');
    writeFileSync(local, 'local=sk-canary-local', { mode: 0o600 });
    const ours = read({ MODELS: 'local=http://127.0.0.1:1/v1#m', MODEL_API_KEYS_FILE: local });
    assert.equal(ours.models[0]?.apiKey, 'sk-canary-local');
  });

  const wrong: [what: string, given: Record<string, string>, said: RegExp][] = [
    [
      'an unknown vendor',
      { MODELS: 'openai/a,mistral/canary', ...keys },
      /MODELS: entry 2 must be one of openai\/MODEL/,
    ],
    ['a server without a model', { MODELS: 'local=http://127.0.0.1/v1' }, /MODELS: entry 1 must be/],
    ['a server without an address', { MODELS: 'local=canary#m' }, /MODELS: entry 1 must be/],
    ['a password in an address', { MODELS: 'local=http://u:canary@127.0.0.1/v1#m' }, /MODELS: entry 1 has a password/],
    ['a server named as a vendor', { MODELS: 'openai=http://127.0.0.1/v1#m' }, /may not be named openai/],
    ['a model twice', { MODELS: 'openai/a,openai/a', ...keys }, /MODELS: openai\/a is listed twice/],
    ['a missing key', { MODELS: 'google/a' }, /GOOGLE_API_KEY: is required, because MODELS names google/],
    ['a key of two lines', { MODELS: 'openai/a', OPENAI_API_KEY: 'sk-canary\nx' }, /OPENAI_API_KEY: must be one line/],
    ['a price of another model', { MODEL_PRICES: 'openai/b=1:2' }, /MODEL_PRICES: openai\/b is not in MODELS/],
    ['a price that is no number', { MODEL_PRICES: 'openai/b=1:canary' }, /MODEL_PRICES: entry 1 must be NAME=INPUT/],
    ['a key of no server', { MODEL_API_KEYS: 'other=sk-canary' }, /MODEL_API_KEYS: other is not the name of a server/],
    ['a key without a name', { MODEL_API_KEYS: 'sk-canary' }, /MODEL_API_KEYS: entry 1 must be NAME=KEY/],
    [
      'a vendor in the open',
      { OPENAI_BASE_URL: 'http://canary.example/v1' },
      /OPENAI_BASE_URL: must be an address that begins/,
    ],
    ['a cost that is no amount', { MODEL_COST_PER_USER_DAY: 'five' }, /MODEL_COST_PER_USER_DAY: must be an amount/],
    [
      'a judge that is not there',
      { JUDGE_MODEL: 'openai/canary' },
      /JUDGE_MODEL: is not the name of a model in MODELS/,
    ],
    ['no calls at all', { MODEL_CONCURRENCY: '0' }, /MODEL_CONCURRENCY: /],
  ];
  for (const [what, given, said] of wrong)
    it(`stop the start with a plain message: ${what}`, () => assert.match(problemsOf(given), said));
});

describe('the list of models', () => {
  const { models } = read({ ...keys, MODELS: 'openai/a,google/b,local=http://127.0.0.1/v1#b,anthropic/c' });
  const list = createModels(models);

  it('has a default, and finds models by name', () => {
    assert.equal(list.default?.name, 'openai/a');
    assert.deepEqual(list.byName('local'), { name: 'local', provider: 'local', model: 'b', isPriced: true });
    assert.equal(list.byName('c')?.name, 'anthropic/c');
    assert.equal(list.byName('b'), undefined);
    assert.equal(createModels([]).default, undefined);
    assert.doesNotMatch(JSON.stringify(list), /canary|127\.0\.0\.1/);
  });

  it('says which model comes after one, and after those that were asked', () => {
    assert.equal(list.after('openai/a')?.name, 'google/b');
    assert.equal(list.after('anthropic/c')?.name, 'openai/a');
    assert.equal(list.after('google/b', ['openai/a', 'local', 'anthropic/c']), undefined);
    assert.equal(createModels(models.slice(0, 1)).after('openai/a'), undefined);
  });
});
