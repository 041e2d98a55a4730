import assert from 'node:assert/strict';
import { localUser, newId, questionOf, type Store } from '@pilothouse/store';
import { acted, failed, lost } from '../../testing/scripted-browsers.ts';
import { failing, finishes, handle, page, says, thinksUntilAborted } from '../../testing/scripted-mind.ts';
import { type BenchTask, type Case, describeCases } from '../../testing/task-bench.ts';

const view = page();
const clickBuy: Parameters<typeof says>[0] = ['click', { ref: 'e1' }];
const clickNext: Parameters<typeof says>[0] = ['click', { ref: 'e2' }];
const fillName: Parameters<typeof says>[0] = ['fill', { items: [{ ref: 'e3', text: 'Ada' }] }];
const say = (task: BenchTask, text: string) =>
  task.store.change(task.sessionId, (tx) =>
    task.store.taskMessages.add(tx, { taskId: task.id, authorId: localUser.id, text }),
  );
const decisionsOf = (task: { store: Store; id: string }) => task.store.decisions.of(task.id);
/** An agent that is gone decided to click, and did not do it. */
async function decidedBefore(task: BenchTask): Promise<void> {
  const held = { taskId: task.id, executionId: await task.earlierRun() };
  const calls = [{ id: 'c', name: 'click', input: { ref: 'e1' }, steps: [0, 1] }];
  await task.store.change(task.sessionId, (tx) =>
    task.store.decisions.add(tx, held, {
      callNumber: 1,
      goal: null,
      evaluation: null,
      thinking: null,
      actions: { version: 1, calls },
      steps: [{ action: 'click', target: { ref: 'e1' } }],
      url: null,
      viewHash: 'h1',
      view: null,
      readMessages: 0,
    }),
  );
}
const lastText = (request: { messages: { role: string }[] } | undefined) => JSON.stringify(request?.messages.at(-1));
const allText = (request: { messages: object[] } | undefined) => JSON.stringify(request?.messages);
const usedOnce = { input: 100, cached: 0, cacheWritten: 0, output: 10, reasoning: 0 };
const elsewhere = { url: 'https://shop.test/next', title: 'Next' };

const decisions: Case[] = [
  {
    name: 'a model decides, its steps are done in order, and its finish is the result',
    answers: () => [says(fillName, clickBuy), finishes({ total: 3 })],
    script: () => ({ view, replies: [acted(), acted()] }),
    expect: {
      nexts: ['again', 'again', 'again', 'again', 'done'],
      status: 'success',
      attempts: ['1 success', '2 success'],
      calls: ['see', 'act type 1', 'act click 1', 'see'],
    },
    also: async (task, { requests }) => {
      const row = await task.row();
      assert.deepEqual(row.result, { summary: 'Done.', data: { total: 3 }, files: [], state: 'done' });
      assert.deepEqual([row.model_calls, row.input_tokens, row.output_tokens, row.cost_micros], [2, 200, 20, 10]);
      assert.match(allText(requests[1]), /"done"/, 'the second request tells that the acts were done');
      assert.deepEqual(
        (await decisionsOf(task)).map(({ status, goal, evaluation }) => [status, goal, evaluation]),
        [
          ['done', 'go on', 'fine'],
          ['done', 'go on', 'fine'],
        ],
      );
    },
  },
  {
    name: 'what follows a click on a link is not taken from the same answer',
    answers: () => [says(clickNext, clickBuy), finishes()],
    script: () => ({ view, replies: [acted()] }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: (_, { requests }) => assert.match(allText(requests[1]), /may change the page/),
  },
  {
    name: 'a page that changes during a decision ends it: the model has not seen that page',
    answers: () => [says(clickBuy, fillName), finishes()],
    script: () => ({ view, replies: [acted({ after: elsewhere })] }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: async (task, { requests }) => {
      assert.deepEqual(
        (await decisionsOf(task)).map(({ status, cut_reason }) => [status, cut_reason]),
        [
          ['cut', 'The page changed.'],
          ['done', null],
        ],
      );
      assert.match(allText(requests[1]), /Not done: The page changed/);
    },
  },
  {
    name: 'a dialog that opens ends the decision, and the model sees it',
    answers: () => [says(clickBuy, fillName), says(['answer_dialog', { accept: true }]), finishes()],
    script: () => {
      const dialog = { kind: 'confirm', message: 'Really?', default_value: '' } as const;
      return { views: [view, page('h2', { dialog, text: '' })], view, replies: [acted({ dialog }), acted()] };
    },
    expect: { status: 'success', attempts: ['1 success', '2 success'] },
    also: (_, { requests }) => assert.match(lastText(requests[1]), /Really\?/),
  },
  {
    name: 'a step that fails does not end the task: the model is told why and decides again',
    answers: () => [says(clickBuy, fillName), finishes()],
    script: () => ({ view, replies: [failed('not_found')] }),
    expect: { status: 'success', attempts: ['1 failed'] },
    also: (_, { requests }) => {
      assert.match(allText(requests[1]), /Failed: it is not_found/);
      assert.match(allText(requests[1]), /Not done: A step failed/);
    },
  },
  {
    name: 'a step that something covers gets a second attempt, and no third',
    answers: () => [says(clickBuy), finishes()],
    script: () => ({ view, replies: [failed('covered'), failed('covered')] }),
    expect: { status: 'success', attempts: ['1 failed', '1 failed'] },
  },
  {
    name: 'a step whose browser is lost is done in the next browser',
    answers: () => [says(clickBuy), finishes()],
    script: () => ({ view, holds: false, replies: [lost(), acted()] }),
    expect: { status: 'success', attempts: ['1 interrupted', '1 success'] },
  },
  {
    name: 'an irreversible step whose browser was lost asks a person, and is not repeated',
    answers: () => [says(['click', { ref: 'e1', irreversible: true }])],
    script: () => ({ view, holds: false, replies: [lost({ mayHaveActed: true })] }),
    expect: { nexts: ['again', 'again', 'wait'], status: 'awaiting_user', question: /may or may not have been done/ },
  },
  {
    name: 'what the task downloads is told by the history: the words of the task stay as they began',
    answers: () => [says(['download', { ref: 'e2' }]), finishes()],
    script: () => ({ view, replies: [acted({ file: { file_id: 'f1', name: 'list.csv', byte_len: 3 } })] }),
    files: ({ store, sessionId }) => ({
      async fetch() {
        const blobKey = `sessions/${sessionId}/files/f1`;
        await store.blobs.put(blobKey, new Uint8Array(3));
        return { id: newId(), name: 'list.csv', blobKey, byteLen: 3 };
      },
    }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: (_, { requests: [first, second] }) => {
      assert.deepEqual(second?.messages[0], first?.messages[0]);
      assert.match(JSON.stringify(second?.messages.slice(1)), /list\.csv.* was kept/);
    },
  },
  {
    name: 'a handle that the page does not have is refused before any host is asked',
    answers: () => [says(['click', { ref: 'e99' }], clickBuy), finishes()],
    script: () => ({ view }),
    expect: { status: 'success', attempts: [], calls: ['see', 'see'] },
    also: (_, { requests }) => assert.match(allText(requests[1]), /There is no handle/),
  },
  {
    name: 'an element is touched only while it is what the model was shown, and named with its frame',
    answers: () => [says(['click', { ref: 'e7' }]), finishes()],
    script: () => ({
      view: page('h1', { handles: [handle('e7', 'Pay', { frame_origin: 'https://pay.test' })] }),
      replies: [
        ({ command }) => {
          const { step } = command;
          assert.deepEqual('target' in step && step.target, { ref: 'e7', frame: 'https://pay.test' });
          assert.deepEqual(command.onlyIf, { origin: 'https://pay.test', role: 'button', name: 'Pay' });
          return Promise.resolve(acted());
        },
      ],
    }),
    expect: { status: 'success' },
  },
];
describeCases('a decision', decisions);

const people: Case[] = [
  {
    name: 'words said while a decision runs end the rest of it, and the next call has them',
    answers: () => [says(fillName, clickBuy), finishes()],
    script: (task) => ({
      view,
      replies: [
        async () => {
          await say(task, 'Not that one');
          return acted();
        },
      ],
    }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: (_, { requests }) => {
      assert.doesNotMatch(allText(requests[0]), /Not that one/);
      assert.match(allText(requests[1]), /A person says: Not that one/);
      assert.match(allText(requests[1]), /Not done: A person said something/);
    },
  },
  {
    name: 'words said while the model thinks are read before anything of its answer is done',
    answers: (task) => [
      async () => {
        await say(task, 'Stop that');
        return says(clickBuy);
      },
      finishes(),
    ],
    script: () => ({ view }),
    expect: { status: 'success', attempts: [] },
    also: (_, { requests }) => assert.match(allText(requests[1]), /Stop that/),
  },
  {
    name: 'words said while the page is looked at are in the call that follows',
    answers: () => [finishes()],
    script: (task) => {
      let looks = 0;
      return { view, beforeSee: async () => (looks++ === 0 ? say(task, 'In blue') : undefined) };
    },
    expect: { status: 'success', calls: ['see', 'see'] },
    also: (_, { requests }) => {
      assert.equal(requests.length, 1);
      assert.match(allText(requests[0]), /A person says: In blue/);
    },
  },
  {
    name: 'a question of the model waits for a person, and the answer is the result of the call',
    answers: () => [says(['ask', { question: 'Which one?' }])],
    script: () => ({ view }),
    expect: { nexts: ['again', 'wait'], status: 'awaiting_user', question: /Which one\?/ },
    also: async (task) => {
      await task.answer('The red one');
      const run = task.run({ view }, { answers: [finishes()] });
      for (let next = await run.tick(); next === 'again'; ) next = await run.tick();
      assert.equal((await task.row()).status, 'success');
      assert.match(allText(run.requests[0]), /A person answered: The red one/);
    },
  },
  {
    name: 'a question of the model has choices, and takes words that are none of them',
    answers: () => [says(['ask', { question: 'Which one?', kind: 'choice', choices: ['The Red', 'Blue'] }])],
    script: () => ({ view }),
    expect: { nexts: ['again', 'wait'], status: 'awaiting_user' },
    also: async (task) => {
      const { kind, choices, takes_words } = questionOf(await task.row()) ?? {};
      assert.deepEqual([kind, choices?.map(({ value }) => value), takes_words], ['choice', ['The Red', 'Blue'], true]);
      assert.ok(await task.answer('Neither'));
      const run = task.run({ view }, { answers: [says(['ask', { question: 'Go on?', kind: 'yes_no' }])] });
      for (let next = await run.tick(); next === 'again'; ) next = await run.tick();
      assert.match(allText(run.requests[0]), /A person answered: Neither/);
      const second = questionOf(await task.row());
      assert.deepEqual([second?.kind, second?.choices?.map(({ value }) => value)], ['yes_no', ['yes', 'no']]);
    },
  },
  {
    name: 'a question of the model for the wheel is answered when the person hands it back',
    answers: () => [says(['ask', { question: 'Log in, please.', kind: 'wheel' }])],
    script: () => ({ view }),
    expect: { nexts: ['again', 'wait'], status: 'awaiting_user' },
    also: async (task) => {
      assert.equal(questionOf(await task.row())?.kind, 'drive');
      await task.activateTakeover(await task.requestTakeover());
      await task.handBack();
      const run = task.run({ view }, { answers: [finishes()] });
      for (let next = await run.tick(); next === 'again'; ) next = await run.tick();
      assert.equal((await task.row()).status, 'success');
      assert.match(allText(run.requests[0]), /A person answered: The wheel was handed back/);
    },
  },
  {
    name: 'choices that do not fit the kind go back to the model',
    answers: () => [
      says(['ask', { question: 'Which?', kind: 'choice' }]),
      says(['ask', { question: 'Which?', choices: ['a', 'b'] }]),
      finishes(),
    ],
    script: () => ({ view }),
    expect: { status: 'success', attempts: [] },
    also: (_, { requests }) => {
      for (const request of requests.slice(1))
        assert.match(allText(request), /The input does not fit: choices must be/);
    },
  },
  {
    name: 'a person who asks to take over while the model thinks gets the browser, and the call is aborted',
    answers: (task) => [
      async (asked) => {
        await task.requestTakeover();
        return thinksUntilAborted(asked);
      },
    ],
    script: () => ({ view }),
    expect: { nexts: ['again', 'wait'], status: 'takeover', attempts: [] },
    also: async (task) =>
      assert.deepEqual(
        (await task.store.modelCalls.of(task.id)).map(({ status }) => status),
        ['aborted'],
      ),
  },
  {
    name: 'a task that is cancelled while the model thinks does nothing more',
    answers: (task) => [
      async (asked) => {
        await task.cancel();
        return thinksUntilAborted(asked);
      },
    ],
    script: () => ({ view }),
    expect: { nexts: ['done'], status: 'cancelled', attempts: [] },
  },
  {
    name: 'an answer that comes when a person has the task is not acted on, and what it used is counted',
    answers: (task) => [
      async () => {
        await task.cancel();
        return says(clickBuy);
      },
    ],
    script: () => ({ view }),
    expect: { nexts: ['done'], status: 'cancelled', attempts: [] },
    also: async (task) => {
      assert.deepEqual(
        (await task.store.modelCalls.of(task.id)).map(({ status, input_tokens }) => [status, input_tokens]),
        [['aborted', 100]],
      );
      assert.equal((await task.row()).input_tokens, 100);
      assert.deepEqual(await decisionsOf(task), []);
    },
  },
  {
    name: 'a refusal that comes when a person has the task is counted with its tokens and its cost',
    answers: (task) => [
      async (asked) => {
        await task.cancel();
        await thinksUntilAborted(asked).catch(() => {});
        throw failing('refused', { usage: usedOnce, costMicros: 5 });
      },
    ],
    script: () => ({ view }),
    expect: { nexts: ['done'], status: 'cancelled', attempts: [] },
    also: async (task) => {
      const row = await task.row();
      assert.deepEqual([row.input_tokens, row.output_tokens, row.cost_micros], [100, 10, 5]);
    },
  },
  {
    name: 'after a person drove, the rest of the decision is not done, and the model is told',
    rows: async (task) => {
      await decidedBefore(task);
      await task.activateTakeover(await task.requestTakeover());
      await task.handBack();
    },
    answers: () => [finishes()],
    script: () => ({ view }),
    expect: { status: 'success', attempts: [] },
    also: (_, { requests }) => {
      assert.match(allText(requests[0]), /drove the browser/);
      assert.match(allText(requests[0]), /Not done: A person drove/);
    },
  },
];
describeCases('people and a task that a model plans', people);

const faults: Case[] = [
  {
    name: 'a model that is busy is asked again when its vendor wants',
    answers: () => [failing('rate_limited', { retryAfterMs: 5000 })],
    script: () => ({ view }),
    expect: { status: 'running', attempts: [] },
    also: (_, { nexts }) => {
      const last = nexts.at(-1);
      assert.ok(typeof last === 'object' && last.waitMs > 4000 && last.waitMs <= 5000, JSON.stringify(nexts));
    },
  },
  {
    name: 'a model that refuses the key is not asked again: the next model is',
    answers: () => [failing('unauthorized'), finishes()],
    script: () => ({ view }),
    expect: { status: 'success' },
    also: (_, { requests }) =>
      assert.deepEqual(
        requests.map(({ model }) => model),
        ['test/one', 'test/two'],
      ),
  },
  {
    name: 'where no model takes the request, the task fails with the reason',
    answers: () => [failing('bad_request'), failing('refused')],
    script: () => ({ view }),
    expect: { status: 'failed', error: /^No model answered\. The last failure: It is refused\.$/ },
  },
  {
    name: 'three answers in a row that cannot be used end the task with a sentence',
    answers: () => [says(), says(['fly', {}, 'There is no tool "fly".']), says(['click', { ref: 'e99' }])],
    script: () => ({ view }),
    expect: { status: 'failed', error: /3 answers in a row that cannot be used/ },
  },
  {
    name: 'a model that does the same on the same page is told so, and stopped at the sixth time',
    answers: () => Array.from({ length: 6 }, () => says(clickBuy)),
    script: () => ({ view, replies: Array.from({ length: 6 }, () => acted()) }),
    ticks: 30,
    expect: { status: 'failed', error: /did the same 6 times/ },
    also: (_, { requests }) => {
      assert.doesNotMatch(lastText(requests[2]), /Note:/);
      assert.match(lastText(requests[3]), /Note: You did this 3 times/);
    },
  },
  {
    name: 'a call that a lost agent left is on record, and the task is decided again',
    rows: async (task) => {
      const run = await task.earlierRun();
      const held = { taskId: task.id, executionId: run };
      await task.store.change(task.sessionId, (tx) =>
        task.store.modelCalls.begin(tx, held, { purpose: 'decide', model: 'test/one', estimatedTokens: 7 }),
      );
    },
    answers: () => [finishes()],
    script: () => ({ view }),
    expect: { status: 'success', logs: ['1 call of a model ended without an answer'] },
    also: async (task) =>
      assert.deepEqual(
        (await task.store.modelCalls.of(task.id)).map(({ status }) => status),
        ['lost', 'ok'],
      ),
  },
  {
    name: 'a call that a lost agent left is on record also where the task ends without another call',
    settings: { max_tokens: 1000 },
    rows: async (task) => {
      const held = { taskId: task.id, executionId: await task.earlierRun() };
      await task.store.change(task.sessionId, (tx) =>
        task.store.modelCalls.begin(tx, held, { purpose: 'decide', model: 'test/one', estimatedTokens: 7 }),
      );
      await task.sql('update tasks set input_tokens = 1000 where id = $1');
    },
    answers: () => [],
    script: () => ({ view }),
    expect: { status: 'failed', error: /has used its max_tokens/ },
    also: async (task) =>
      assert.deepEqual(
        (await task.store.modelCalls.of(task.id)).map(({ status }) => status),
        ['lost'],
      ),
  },
  {
    name: 'a decision that a lost agent wrote is acted on, and the model is not asked for it again',
    rows: async (task) => {
      await decidedBefore(task);
    },
    answers: () => [finishes()],
    script: () => ({ view, replies: [acted()] }),
    expect: { status: 'success', attempts: ['1 success'], calls: ['driver 2', 'act click 2', 'see'] },
  },
];
describeCases('faults of a model', faults);

const looks: Case[] = [
  {
    name: 'a page that cannot be read is looked at again',
    answers: () => [finishes()],
    script: () => ({ views: [undefined, undefined, view] }),
    expect: { status: 'success', calls: ['see', 'see', 'see'] },
  },
  {
    name: 'a page that can never be read ends the task with a sentence',
    answers: () => [],
    script: () => ({}),
    ticks: 20,
    expect: { status: 'failed', error: /could not be read 8 times in a row/ },
  },
];
describeCases('the look at a page', looks);

const pictures: Case[] = [
  {
    name: 'the picture that a model was sent is kept with its decision, and none where none was sent',
    answers: () => [says(fillName), finishes()],
    script: () => ({ view, picture: new Uint8Array([7, 7, 7]), replies: [acted()] }),
    expect: { status: 'success' },
    also: async (task, { requests }) => {
      const sent = requests.map(({ messages }) => messages.some((one) => 'pictures' in one && one.pictures));
      assert.deepEqual(sent, [true, false]);
      const first = await task.store.decisions.viewOf(task.id, 1);
      assert.equal(first?.picture_type, 'image/jpeg');
      assert.match(first?.picture_key ?? '', new RegExp(`^sessions/${task.sessionId}/`));
      assert.deepEqual([...((await task.store.blobs.get(first?.picture_key ?? '')) ?? [])], [7, 7, 7]);
      const second = await task.store.decisions.viewOf(task.id, 2);
      assert.deepEqual([second?.picture_key, second?.view], [null, view.text]);
    },
  },
];
describeCases('pictures for a model', pictures);

const limits: Case[] = [
  {
    name: 'the last call that the tokens allow may only finish',
    settings: { max_tokens: 1000 },
    answers: () => [...Array.from({ length: 8 }, (_, i) => says(['scroll', { screens: i + 1 }])), finishes()],
    script: () => ({ view, replies: Array.from({ length: 8 }, () => acted()) }),
    ticks: 40,
    expect: { status: 'success' },
    also: async (task, { requests }) => {
      assert.deepEqual(
        requests.at(-1)?.tools.map(({ name }) => name),
        ['finish'],
      );
      assert.match(lastText(requests.at(-1)), /This is the last call/);
      assert.ok((await task.row()).input_tokens <= 1000);
    },
  },
  {
    name: 'when the steps are used up, the model may still finish',
    settings: { max_steps: 1 },
    answers: () => [says(clickBuy), finishes()],
    script: () => ({ view, replies: [acted()] }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: (_, { requests }) => assert.equal(requests[1]?.tools.length, 1),
  },
  {
    name: 'a task that has used its tokens makes no further call',
    settings: { max_tokens: 1000 },
    rows: (task) => task.sql('update tasks set input_tokens = 1000 where id = $1'),
    answers: () => [],
    script: () => ({ view }),
    expect: { status: 'failed', error: /has used its max_tokens of 1000/ },
  },
  {
    name: 'data that does not fit the schema goes back to the model, and is delivered when it fits',
    settings: { output_schema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] } },
    answers: () => [finishes({ total: 'three' }), finishes({ total: 3 })],
    script: () => ({ view }),
    expect: { status: 'success' },
    also: async (task, { requests }) => {
      assert.match(allText(requests[1]), /The data does not fit the schema: total/);
      assert.deepEqual(((await task.row()).result as { data: object }).data, { total: 3 });
    },
  },
  {
    name: 'a value that was seen nowhere goes back to the model once, and is delivered with a mark',
    answers: () => [finishes({ total: 77 }), finishes({ total: 77 })],
    script: () => ({ view }),
    expect: { status: 'success' },
    also: async (task, { requests }) => {
      assert.match(allText(requests[1]), /These values were seen nowhere: total/);
      const { data, ungrounded } = (await task.row()).result as { data: object; ungrounded: string[] };
      assert.deepEqual([data, ungrounded], [{ total: 77 }, ['total']]);
    },
  },
  {
    name: 'data that never fits the schema fails the task after two repairs',
    settings: { output_schema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] } },
    answers: () => [finishes({}), finishes({ total: 'x' }), finishes({ total: null })],
    script: () => ({ view }),
    expect: { status: 'failed', error: /does not fit the schema, after 2 repairs/ },
  },
  {
    name: 'a task that cannot be done fails with what the model says',
    answers: () => [says(['finish', { state: 'impossible', summary: 'The shop is closed.' }])],
    script: () => ({ view }),
    expect: { status: 'failed', error: /^The shop is closed\.$/ },
  },
];
describeCases('limits of a task that a model plans', limits);
