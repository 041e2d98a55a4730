import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError, ConnectionError } from '@pilothouse/sdk';
import { describeError, readFieldErrors, readScriptFaults } from './words.ts';

const refuse = (code: string, detail: string, errors: { pointer: string; message: string }[] = [], secs?: number) =>
  new ApiError(
    {
      type: 'about:blank',
      title: 'No',
      status: 400,
      detail,
      success: false,
      // Any code of the list.
      code: code as 'validation_failed',
      request_id: 'r1',
      errors,
    },
    secs,
  );

it('a refusal is told in the words of the server, and a limit with the time to wait', () => {
  assert.equal(
    describeError(refuse('invalid_credentials', 'Wrong username or password.')),
    'Wrong username or password.',
  );
  assert.equal(
    describeError(refuse('rate_limited', 'Too many requests.', [], 42)),
    'Too many attempts. Again in 42 s.',
  );
  assert.equal(describeError(new ConnectionError('cannot reach http://x')), 'The server does not answer.');
  assert.equal(describeError(new TypeError('x is not a function')), 'Something went wrong on this page.');
});

it('what is wrong with a field stands under the name of the field', () => {
  const error = refuse('validation_failed', 'No.', [
    { pointer: '/body/password', message: 'must have at least 8 characters' },
    { pointer: '/body/email', message: 'must be an e-mail address' },
  ]);
  assert.deepEqual(readFieldErrors(error), {
    password: 'Must have at least 8 characters.',
    email: 'Must be an e-mail address.',
  });
  assert.deepEqual(readFieldErrors(new Error('other')), {});
});

it('what cannot be read of a script is told line by line', () => {
  const error = refuse('validation_failed', 'This is no script. No model is configured that could plan by itself.', [
    { pointer: '/body/prompt', message: 'line 2, column 1: “dance” is no instruction.\nTry “open”.' },
    { pointer: '/body/planner', message: 'is not available' },
  ]);
  assert.deepEqual(readScriptFaults(error), [
    { line: 2, column: 1, message: '“dance” is no instruction.\nTry “open”.' },
  ]);
});
