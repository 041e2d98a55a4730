import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DomainPolicy } from '@pilothouse/bus';
import { narrowReach } from './program-reach.ts';

const all: DomainPolicy = { allow: null, deny: [] };
const rules = (allow: string[], deny: string[] = []) => ({
  rules: { mode: 'standard' as const, allow, deny, read_only: [], watch: [] },
  is_given: true,
  is_watched: false,
});

describe('the hosts that programs may reach', () => {
  const rows: [string, DomainPolicy, ReturnType<typeof rules>[], DomainPolicy][] = [
    ['are those of the session where no rules name any', all, [rules([])], all],
    ['are those of the rules', all, [rules(['a.test'], ['b.test'])], { allow: ['a.test'], deny: ['b.test'] }],
    [
      'are in the lists of session and rules',
      { allow: ['a.test', 'b.test'], deny: ['x.test'] },
      [rules(['sub.a.test', 'c.test'], ['y.test'])],
      { allow: ['sub.a.test'], deny: ['x.test', 'y.test'] },
    ],
    [
      'are none where no host is in both',
      { allow: ['a.test'], deny: [] },
      [rules(['b.test'])],
      { allow: [], deny: [] },
    ],
    ['keep a star', { allow: ['*.a.test'], deny: [] }, [rules(['a.test'])], { allow: ['*.a.test'], deny: [] }],
    [
      'are never more than a star allows',
      { allow: ['*.a.test'], deny: [] },
      [rules(['a.test', 'b.test'])],
      { allow: ['*.a.test'], deny: [] },
    ],
    [
      'are those that every program may reach',
      all,
      [rules(['a.test']), rules(['a.test', 'b.test'])],
      { allow: ['a.test'], deny: [] },
    ],
  ];
  for (const [name, reach, given, expected] of rows)
    it(name, () => assert.deepEqual(narrowReach(reach, given), expected));
});
