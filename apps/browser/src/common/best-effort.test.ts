import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { bestEffort, onIgnoredError } from './best-effort.ts';

describe('work that may fail', () => {
  after(() => onIgnoredError(undefined));

  it('is reported by its name and the name of the error, without the message', async () => {
    const heard: unknown[] = [];
    onIgnoredError((...news) => heard.push(news));
    assert.equal(await bestEffort('close a page', Promise.reject(new TypeError('of https://bank.example'))), undefined);
    const misnamed = Object.assign(new Error('of a page'), { name: 'my password is tulip' });
    assert.equal(await bestEffort('detach from a frame', Promise.reject(misnamed)), undefined);
    assert.deepEqual(heard, [
      ['close a page', 'TypeError'],
      ['detach from a frame', 'Error'],
    ]);
  });

  it('gives its outcome where it succeeds', async () => {
    const heard: unknown[] = [];
    onIgnoredError((...news) => heard.push(news));
    assert.equal(await bestEffort('read a title', Promise.resolve('Home')), 'Home');
    assert.deepEqual(heard, []);
  });
});
