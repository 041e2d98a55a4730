import assert from 'node:assert/strict';
import { localUser } from '@pilothouse/store';
import { acted } from '../../testing/scripted-browsers.ts';
import { finishes, page, says } from '../../testing/scripted-mind.ts';
import { type Case, describeCases } from '../../testing/task-bench.ts';

const view = page();
/** What another task of the same person has used today, in tokens and millionths of a dollar. */
const used =
  (tokens: number, micros = 0): NonNullable<Case['rows']> =>
  (task) =>
    task.sql(
      `with earlier as (delete from model_calls where user_id = $2)
       insert into model_calls (task_id, number, execution_id, purpose, model, status, estimated_tokens, input_tokens,
         cost_micros, user_id)
       values ($1, 1000, $1, 'decide', 'm', 'ok', 1, $3, $4, $2)`,
      [task.id, localUser.id, tokens, micros],
    );
const scroll = (screens: number) => says(['scroll', { screens }]);

const day: Case[] = [
  {
    name: 'a task of a person who has used up the day makes no further call, and says when it begins again',
    modelLimits: { tokens: 5000, costMicros: 0 },
    rows: used(5000),
    answers: () => [],
    script: () => ({ view }),
    expect: { status: 'failed', error: /^The 5000 tokens .* are used up\. It begins again at \d{4}-.* 00:00 UTC\.$/ },
  },
  {
    name: 'the last call that the day allows may only finish',
    modelLimits: { tokens: 5330, costMicros: 0 },
    rows: used(5000),
    // Each call is estimated at 100 tokens, and uses 110.
    answers: () => [scroll(1), scroll(2), finishes()],
    script: () => ({ view, replies: [acted(), acted()] }),
    expect: { status: 'success' },
    also: (_, { requests }) =>
      assert.deepEqual(
        requests.map(({ tools }) => tools.length === 1),
        [false, false, true],
      ),
  },
  {
    name: 'a limit of cost ends a running task after at most one call more',
    modelLimits: { tokens: 0, costMicros: 1008 },
    rows: used(1, 1000),
    answers: () => [scroll(1), says(['finish', { state: 'nonsense' }, 'The input does not fit.'])],
    script: () => ({ view, replies: [acted()] }),
    expect: { status: 'failed', error: /^The 0\.001008 dollars that models may cost for one person/ },
    also: (_, { requests }) => assert.deepEqual([requests.length, requests[1]?.tools.length], [2, 1]),
  },
];
describeCases('what models may use for a person in a day', day);
