import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLog } from './log.ts';

it('the log strikes secrets out, at the top and two levels down', () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  const secret = 'canary-3f1c';
  log.info({ password: secret, token: secret, 'x-share-token': secret, user: 'ann' }, 'top');
  log.info({ headers: { authorization: secret, cookie: secret, 'x-share-token': secret } }, 'headers');
  log.info({ body: { refresh_token: secret, new_password: secret, access_token: secret } }, 'body');
  log.info(
    { key_token: secret, pass: secret, DATABASE_URL: secret, NATS_PASSWORD: secret, PROFILE_KEY: secret },
    'settings',
  );
  log.info({ reply: { headers: { 'set-cookie': secret, pass: secret, authorization: secret } } }, 'two levels');
  log.info(
    { prompt: secret, task: { plan: secret, steps: [secret] }, said: { answer: secret, text: secret } },
    'words',
  );
  log.info(
    { OPENAI_API_KEY: secret, MODEL_API_KEYS: secret, model: { apiKey: secret, 'x-api-key': secret } },
    'models',
  );
  assert.equal(lines.length, 7);
  assert.ok(
    lines.every((line) => !line.includes(secret)),
    lines.join(),
  );
  assert.equal(JSON.parse(lines[0] ?? '').user, 'ann');
  assert.equal(JSON.parse(lines[0] ?? '').process, 'test');
});

it('logs message and cause of an error, and no other field that a library attached', () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  const secret = 'canary-77ab';
  const refused = Object.assign(new TypeError('duplicate key'), {
    code: '23505',
    detail: `Key (email)=(${secret}) already exists.`,
    where: secret,
    parameters: [secret],
  });
  const endless = new Error('endless');
  endless.cause = endless;
  log.error({ err: new Error('cannot save', { cause: refused }) }, 'failed');
  log.error(refused);
  log.error({ err: endless }, 'failed');
  log.error({ err: 'just words' }, 'failed');
  const [nested, bare, circle, words] = lines.map((line) => JSON.parse(line).err);
  assert.equal(nested.message, 'cannot save');
  assert.match(nested.stack, /log\.test\.ts/);
  for (const { type, message, code } of [nested.cause, bare])
    assert.deepEqual({ type, message, code }, { type: 'TypeError', message: 'duplicate key', code: '23505' });
  assert.equal(circle.cause.cause.message, 'endless');
  assert.equal(words.message, 'just words');
  assert.ok(!lines.join().includes(secret), lines.join());
});
