import assert from 'node:assert/strict';
import { it } from 'node:test';
import { actClasses } from '@pilothouse/contract/wire';
import { describeVerdict } from './describe-verdict.ts';

it('says the class, the outcome, the sentence, and who said yes', () => {
  const asked = { class: 'commit', outcome: 'ask', sentence: 'It pays.', approved_by: 'ada' } as const;
  assert.deepEqual(describeVerdict(asked), { said: 'Commits you · asked', sentence: 'It pays.', approvedBy: 'ada' });
  const read = { class: 'read', outcome: 'allow', sentence: 'It reads.' } as const;
  assert.deepEqual(describeVerdict(read), { said: 'Reads · allowed', sentence: 'It reads.', approvedBy: undefined });
});

it('has words for every class, and is one line at any length', () => {
  for (const kind of actClasses) {
    const long = {
      class: kind,
      outcome: 'deny',
      sentence: 'W'.repeat(100_000),
      approved_by: 'W'.repeat(9000),
    } as const;
    const { said, sentence, approvedBy } = describeVerdict(long);
    assert.match(said, /^[A-Z][a-z ]+ · refused$/);
    assert.ok(sentence.length + (approvedBy?.length ?? 0) < 400);
  }
});
