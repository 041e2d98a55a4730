import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ChatRequest } from '@pilothouse/contract';
import { describeLimits, describeSites, hasErrors, noOptions, plannerOf, readOptions } from './task-options.ts';

it('without a choice nothing is sent', () => {
  assert.deepEqual(readOptions(noOptions, true), { fields: {}, errors: {} });
  assert.deepEqual([describeLimits(noOptions, true), describeSites('')], ['', 'Any site']);
});

it('what is chosen is what the contract takes', () => {
  const chosen = {
    minutes: '1,5',
    steps: ' 12 ',
    sites: 'https://shop.example.com/x, *.example.org\nexample.org example.org',
    profileId: '01890000-0000-7000-8000-000000000001',
    isRecorded: true,
    model: 'local',
    tokens: '20000',
    dollars: '0,5',
    isPlanFirst: true,
  };
  const { fields, errors } = readOptions(chosen, true);
  assert.deepEqual(errors, {});
  assert.deepEqual(fields, {
    time_limit_secs: 90,
    max_steps: 12,
    allowed_domains: ['shop.example.com', '*.example.org', 'example.org'],
    profile_id: '01890000-0000-7000-8000-000000000001',
    record: true,
    model: 'local',
    max_tokens: 20_000,
    max_cost: 0.5,
    confirm: 'plan',
  });
  assert.ok(ChatRequest.safeParse({ prompt: 'x', ...fields }).success);
  const { model, max_tokens, max_cost, confirm, ...others } = fields;
  assert.deepEqual(
    [plannerOf(fields, false), plannerOf({}, false), plannerOf(others, true)],
    ['llm', 'auto', 'script'],
  );
  assert.deepEqual(readOptions({ ...chosen, dollars: 'much' }, false), { fields: others, errors: {} });
});

it('what the contract refuses is called wrong here, and nothing else', () => {
  const rows: [Partial<typeof noOptions>, boolean][] = [
    [{ minutes: '0.1' }, false],
    [{ minutes: '0.2' }, true],
    [{ minutes: '1440' }, true],
    [{ minutes: '1441' }, false],
    [{ minutes: 'soon' }, false],
    [{ steps: '0' }, false],
    [{ steps: '1.5' }, false],
    [{ steps: '200' }, true],
    [{ steps: '201' }, false],
    [{ tokens: '999' }, false],
    [{ tokens: '1000' }, true],
    [{ tokens: '10000001' }, false],
    [{ dollars: '0' }, false],
    [{ dollars: '0.01' }, true],
    [{ dollars: '1001' }, false],
    [{ sites: 'javascript:alert(1)' }, false],
    [{ sites: 'a\u202eb.example' }, false],
    [{ sites: 'localhost' }, true],
  ];
  for (const [given, isRight] of rows) {
    const { fields, errors } = readOptions({ ...noOptions, ...given }, true);
    assert.equal(!hasErrors(errors), isRight, JSON.stringify(given));
    assert.equal(ChatRequest.safeParse({ prompt: 'x', ...fields }).success, isRight, JSON.stringify(given));
  }
});

it('a choice is said in few words', () => {
  const chosen = { ...noOptions, minutes: '5', steps: '10', tokens: '20000', dollars: '0.5', isRecorded: true };
  assert.equal(describeLimits(chosen, false), '5 min · 10 steps · recorded');
  assert.equal(describeLimits(chosen, true), '5 min · 10 steps · 20000 tokens · $0.5 · recorded');
  assert.equal(describeSites('example.org'), 'Only example.org');
  assert.equal(describeSites('example.org example.com'), 'Only 2 sites');
});
