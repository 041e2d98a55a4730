import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLog } from './log.ts';

it('the log strikes secrets out, at the top and one level down', () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  const secret = 'canary-3f1c';
  log.info({ password: secret, token: secret, 'x-share-token': secret, user: 'ann' }, 'top');
  log.info({ headers: { authorization: secret, cookie: secret, 'x-share-token': secret } }, 'headers');
  log.info({ body: { refresh_token: secret, new_password: secret, access_token: secret } }, 'body');
  assert.equal(lines.length, 3);
  assert.ok(
    lines.every((line) => !line.includes(secret)),
    lines.join(),
  );
  assert.equal(JSON.parse(lines[0] ?? '').user, 'ann');
  assert.equal(JSON.parse(lines[0] ?? '').process, 'test');
});
