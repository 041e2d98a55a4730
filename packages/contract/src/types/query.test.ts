import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { routes } from '../routes/routes.ts';
import { Uuid7 } from './id.ts';
import { isId } from './is-id.ts';
import { Page, queryFlag, queryInt } from './query.ts';
import { TimeParam, Timestamp } from './time.ts';

const takesLimit = (limit: unknown) => Page.safeParse({ limit }).success;

test('a page is 50 long unless said otherwise', () => {
  assert.deepEqual(Page.parse({}), { limit: 50 });
  assert.deepEqual(Page.parse({ limit: '7', cursor: 'abc' }), { limit: 7, cursor: 'abc' });
});

test('a limit outside 1 to 200 is refused', () => {
  fc.assert(fc.property(fc.integer(), (n) => takesLimit(String(n)) === (n >= 1 && n <= 200)));
});

test('only the plain spelling of a number is read', () => {
  for (const value of [
    '',
    ' ',
    ' 5',
    '5 ',
    '1e1',
    '0x10',
    '05',
    '+5',
    '-5',
    '5.0',
    '1_0',
    'NaN',
    '٥',
    ['5'],
    ['5', '6'],
    null,
  ]) {
    assert.ok(!takesLimit(value), JSON.stringify(value));
  }
});

test('text that is not a number is never read as one', () => {
  fc.assert(fc.property(fc.string(), (value) => takesLimit(value) === (/^[1-9]\d{0,2}$/.test(value) && +value <= 200)));
});

test('the OpenAPI document has the type of a query value, not of its text', () => {
  const { properties } = z.toJSONSchema(Page, { io: 'input' });
  assert.deepEqual(properties?.limit, { type: 'integer', minimum: 1, maximum: 200, default: 50 });
});

test('a number too large to be exact is refused', () => {
  assert.ok(!queryInt(0, Number.MAX_SAFE_INTEGER, 0).safeParse('9'.repeat(30)).success);
});

test('only true and false are flags', () => {
  assert.equal(queryFlag(false).parse('true'), true);
  assert.equal(queryFlag(false).parse('false'), false);
  for (const value of ['', '1', '0', 'TRUE', 'yes', ['true'], null])
    assert.ok(!queryFlag(false).safeParse(value).success);
  assert.deepEqual(routes.deleteSession.query.parse({}), { purge: false });
});

test('a cursor is short, and storable text', () => {
  for (const cursor of ['', 'x'.repeat(513), 'a\0']) assert.ok(!Page.safeParse({ cursor }).success);
});

test('only a UUIDv7 in lower case is an id', () => {
  const good = '01890a5d-ac96-774b-bcce-b302099a8057';
  assert.ok(isId(good) && Uuid7.safeParse(good).success);
  const bad = [
    '',
    'x',
    good.toUpperCase(),
    `${good}\n`,
    ` ${good}`,
    good.replace('-7', '-4'),
    good.replace('-b', '-c'),
  ];
  for (const value of bad) assert.ok(!isId(value) && !Uuid7.safeParse(value).success, value);
  fc.assert(fc.property(fc.uuid({ version: 7 }), isId));
  fc.assert(fc.property(fc.uuid({ version: [1, 2, 3, 4, 5, 6, 8] }), (value) => !isId(value)));
});

test('a malformed id passes the parameters, so that it can be answered like an unknown one', () => {
  fc.assert(fc.property(fc.string(), (id) => routes.getTask.params.parse({ id }).id === id));
});

test('every moment we can name is a timestamp, and only with milliseconds in UTC', () => {
  const date = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(fc.property(date, (moment) => Timestamp.safeParse(moment.toISOString()).success));
  for (const value of ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678+01:00', '2026-02-30T03:04:05.678Z']) {
    assert.ok(!Timestamp.safeParse(value).success, value);
  }
});

test('a moment asked for may leave out the milliseconds, but not lie before there were any', () => {
  assert.ok(TimeParam.safeParse('2026-01-02T03:04:05Z').success);
  for (const value of ['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z', 'yesterday', '2026']) {
    assert.ok(!TimeParam.safeParse(value).success, value);
  }
});
