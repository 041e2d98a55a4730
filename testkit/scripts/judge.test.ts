import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Sites, startSites, type Visitor } from '../sites/sites.ts';
import { judge, type Outcome } from './judge.ts';
import { kindsFor, makeScript } from './kinds.ts';
import type { Script } from './script.ts';

const good: Outcome = { status: 'success', failedStep: null, error: null, lines: [], data: {}, files: [] };
const bytes = (text: string) => new TextEncoder().encode(text);

describe('the judge of scripts', () => {
  let sites: Sites;
  let visitor: Visitor;
  before(async () => {
    sites = await startSites();
    visitor = sites.visitor('judge', 1);
    await fetch(`${visitor.url('slow')}press`, { method: 'POST', body: new URLSearchParams({ what: 'it' }) });
  });
  after(() => sites?.close());

  const pressing: Script = {
    ask: { lines: [] },
    end: { status: 'success' },
    posts: ['slow/press'],
    result: ({ slow }) => ({ pressed: slow.pressed[0] ?? '' }),
    files: () => [{ name: 'a.csv', bytes: bytes('a') }],
    holds: [{ read: ({ slow }) => slow.pressed, is: ['it'] }],
  };
  const told: Outcome = { ...good, data: { pressed: 'it' }, files: [{ name: 'a.csv', bytes: bytes('a') }] };
  const failing: Script = { ...pressing, end: { status: 'failed', step: 2, reason: 'no_option' } };
  const failed: Outcome = { ...good, status: 'failed', failedStep: 2, error: 'the list has no such option' };

  const rows: [name: string, script: Script, outcome: Outcome, differences: RegExp[]][] = [
    ['finds nothing wrong with what is right', pressing, told, []],
    ['sees another end', pressing, { ...failed }, [/^it ended as failed, not success: the list/]],
    ['sees another result', pressing, { ...told, data: { pressed: 'that' } }, [/^result: found .*that/]],
    ['sees a result that nobody asked for', pressing, { ...told, data: { pressed: 'it', more: 1 } }, [/^result/]],
    ['sees that a file is missing', pressing, { ...told, files: [] }, [/^files: found \[\]/]],
    [
      'sees other bytes',
      pressing,
      { ...told, files: [{ name: 'a.csv', bytes: bytes('b') }] },
      [/^the bytes of a\.csv/],
    ],
    ['sees a POST too many', { ...pressing, posts: [] }, told, [/^POSTs: found \[ 'slow\/press' \]/]],
    ['sees a POST too few', { ...pressing, posts: ['slow/press', 'slow/press'] }, told, [/^POSTs/]],
    [
      'sees another database',
      { ...pressing, holds: [{ read: ({ slow }) => slow.pressed, is: [] }] },
      told,
      [/^database/],
    ],
    ['takes the failure that must be', failing, failed, []],
    ['sees that another step failed', failing, { ...failed, failedStep: 1 }, [/^step that failed: found 1/]],
    ['sees another reason', failing, { ...failed, error: 'the page is gone' }, [/^the reason was “the page is gone”/]],
  ];
  for (const [name, script, outcome, differences] of rows) {
    it(name, () => {
      const found = judge(script, outcome, visitor);
      assert.equal(found.length, differences.length, found.join('\n'));
      for (const [index, pattern] of differences.entries()) assert.match(found[index] ?? '', pattern);
    });
  }

  it('has the same scripts from the same seed, and others from another', () => {
    const asks = (seed: number) =>
      kindsFor({ canPutFiles: true }).map((_, index) => {
        const { script, name } = makeScript(sites, { canPutFiles: true }, seed, index);
        return JSON.stringify(script.ask).replaceAll(`/~${name}/`, '');
      });
    assert.deepEqual(asks(3), asks(3));
    const [one, other] = [asks(3), asks(4)];
    const same = one.filter((ask, index) => ask === other[index]);
    assert.ok(same.length < one.length / 3, `${same.length} of ${one.length} do not depend on the seed`);
  });

  it('keeps visitors apart', async () => {
    const other = sites.visitor('another', 1);
    assert.deepEqual(other.data.slow.pressed, []);
    assert.deepEqual(
      visitor.posts.map(({ what }) => what),
      ['slow/press'],
    );
    const view = await (await fetch(`${sites.url}~judge/`)).text();
    assert.match(view, /<td>slow\/press<\/td><td>1<\/td>/);
    assert.equal((await fetch(`${visitor.url('slow').replace('judge', 'nobody')}late`)).status, 404);
  });
});
