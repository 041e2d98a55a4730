import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BundleQuery, maxBundled, readBundledStream } from './bundle.ts';

const id = '01890000-0000-7000-8000-000000000001';

describe('the streams of a bundle', () => {
  it('are named by kind and id, go on behind a cursor, and are told apart by a tag', () => {
    assert.deepEqual(readBundledStream(`live:${id}`), { name: `live:${id}`, kind: 'live', id, cursor: undefined });
    assert.deepEqual(readBundledStream(`task:${id}@12`), { name: `task:${id}`, kind: 'task', id, cursor: '12' });
    assert.deepEqual(readBundledStream(`live:${id}~b@a@b`), { name: `live:${id}~b`, kind: 'live', id, cursor: 'a@b' });
    for (const none of ['', 'live', 'live:', `log:${id}`, `live:${id}@`, `live:${id}~`, `live:${id}~a b`]) {
      assert.equal(readBundledStream(none), undefined, none);
    }
  });

  it('are one or many in a query, each named once', () => {
    const read = (stream: unknown) => BundleQuery.safeParse({ stream }).success;
    assert.deepEqual(BundleQuery.parse({ stream: `live:${id}` }), { stream: [`live:${id}`] });
    assert.ok(read([`live:${id}`, `task:${id}`, `live:${id}~2`]));
    assert.ok(!read([`live:${id}@1`, `live:${id}@2`]));
    assert.ok(!read([]));
    assert.ok(!read(undefined));
    const many = (count: number) => Array.from({ length: count }, (_, index) => `live:${id}~${index}`);
    assert.ok(read(many(maxBundled)));
    assert.ok(!read(many(maxBundled + 1)));
  });
});
