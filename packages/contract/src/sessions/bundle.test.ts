import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BundleQuery } from './bundle.ts';
import { maxBundled, maxPlaces, readBundledStream } from './stream-names.ts';

const id = '01890000-0000-7000-8000-000000000001';

describe('the streams of a bundle', () => {
  it('are named by kind and id, go on behind a cursor, and are told apart by a tag', () => {
    assert.deepEqual(readBundledStream(`live:${id}`), { name: `live:${id}`, kind: 'live', id, cursor: undefined });
    assert.deepEqual(readBundledStream(`task:${id}@12`), { name: `task:${id}`, kind: 'task', id, cursor: '12' });
    assert.deepEqual(readBundledStream(`live:${id}~b@a@b`), { name: `live:${id}~b`, kind: 'live', id, cursor: 'a@b' });
    const state = 'd41d8cd98f00b204e9800998ecf8427e';
    assert.deepEqual(readBundledStream(`inbox:me~1@${state}`), {
      name: 'inbox:me~1',
      kind: 'inbox',
      id: 'me',
      cursor: state,
    });
    for (const none of ['', 'live', 'inbox', 'live:', `log:${id}`, `live:${id}@`, `live:${id}~`, `live:${id}~a b`]) {
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
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `live:${id.slice(0, -3)}${100 + index}`);
    assert.ok(read(many(maxBundled)));
    assert.ok(!read(many(maxBundled + 1)));
  });

  it('are at few places of one stream, each of which may begin with a picture', () => {
    const read = (stream: unknown) => BundleQuery.safeParse({ stream }).success;
    const places = (count: number, kind = 'live') =>
      Array.from({ length: count }, (_, index) => `${kind}:${id}~${index}@${index + 1}`);
    assert.ok(read([...places(maxPlaces), ...places(maxPlaces, 'task')]));
    assert.ok(!read(places(maxPlaces + 1)));
    assert.ok(!read([...places(maxPlaces, 'task'), `task:${id}`]));
  });
});
