import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorFields, StepFailure } from './failure.ts';

describe('what the log says of an error', () => {
  it('is where in our own code it came from', () => {
    const { kind, reason, stack } = errorFields(new StepFailure('covered', 'something covers "Log in"'));
    assert.deepEqual([kind, reason], ['StepFailure', 'covered']);
    assert.match(stack ?? '', /^at .*failure\.test\.ts:\d+:\d+/);
  });

  it('holds no text or address of a page', () => {
    const error = new Error(
      'page.evaluate: Error: my password is tulip\n    at https://bank.example/login?token=1:2:3',
    );
    error.stack = `${error.stack}\n    at tulip (https://bank.example/login.js:1:2)\n    at tulip (/tmp/tulip.js:1:2)`;
    const fields = JSON.stringify(errorFields(error));
    assert.doesNotMatch(fields, /tulip|bank|password/);
    assert.match(fields, /failure\.test\.ts/);
  });

  it('is the type of what is no error', () => {
    assert.deepEqual(errorFields('my password is tulip'), { kind: 'string' });
  });
});
