import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PrivateReason } from '@pilothouse/contract';
import { describePrivacy } from './describe-privacy.client.ts';

const jpeg = { content_type: 'image/jpeg' } as const;
const png = { content_type: 'image/png' } as const;

it('a frame that is not private has no note, unless the page keeps the focus in a secret field', () => {
  assert.equal(describePrivacy({ ...jpeg, private: false }), '');
  assert.match(describePrivacy({ ...jpeg, private: false, focuses_secret_field: true }), /by itself.*dots/);
});

it('a withheld frame has a note for each reason', () => {
  const told = PrivateReason.options.map((reason) =>
    describePrivacy({ ...png, private: true, private_reason: reason }),
  );
  assert.equal(new Set(told).size, PrivateReason.options.length);
  assert.match(describePrivacy({ ...png, private: true }), /private/);
});

it('a viewer of a private frame is told that no other viewer sees it', () => {
  for (const private_reason of ['driven', 'secret_field'] as const)
    assert.match(describePrivacy({ ...jpeg, private: true, private_reason }), /Only you see the page/);
});
