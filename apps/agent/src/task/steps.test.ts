import assert from 'node:assert/strict';
import { acted, failed, lost } from '../../testing/scripted-browsers.ts';
import { type Case, click, describeCases, navigate, pay } from '../../testing/task-bench.ts';
import { FileQuotaExceeded } from '../ledger/evidence.ts';

const alert = { kind: 'alert', message: 'Saved.', default_value: '' } as const;
const confirm = { kind: 'confirm', message: 'Really?', default_value: '' } as const;
const file = { file_id: 'f1', name: 'list.csv', byte_len: 3 };
const secret = 'correct horse battery';

const outcomes: Case[] = [
  {
    name: 'a step that the host has done is a success, and the task goes on with the next step',
    steps: [navigate(), click()],
    script: () => ({ replies: [acted(), acted()] }),
    expect: {
      nexts: ['again', 'again', 'done'],
      status: 'success',
      attempts: ['1 success', '2 success'],
      calls: ['act navigate 1', 'act click 1'],
    },
  },
  {
    name: 'a page that has no such element is tried three times, and then the task fails',
    steps: [click()],
    script: () => ({ replies: [failed('not_found'), failed('not_found'), failed('not_found')] }),
    expect: {
      nexts: ['again', 'again', 'done'],
      status: 'failed',
      error: /^"Click "Buy"" failed 3 times: it is not_found$/,
      attempts: ['1 failed', '1 failed', '1 failed'],
    },
    also: (_, { commandIds, deadlines }) => {
      assert.equal(new Set(commandIds).size, 3, 'each attempt is a command of its own');
      assert.deepEqual(deadlines, [10_000, 5000, 5000], 'the first attempt gets more time than the others');
    },
  },
  {
    name: 'a step that fails once and then succeeds does not end the task',
    steps: [click()],
    script: () => ({ replies: [failed('covered'), acted()] }),
    expect: { nexts: ['again', 'again', 'done'], status: 'success', attempts: ['1 failed', '1 success'] },
  },
  {
    name: 'failures of other steps do not count against the retry limit of a step',
    steps: [click(), click('Next')],
    rows: async (task) => {
      const run = await task.earlierRun();
      for (let i = 0; i < 2; i += 1) await task.attempt(run, 1, { status: 'failed', error: 'covered' });
      await task.attempt(run, 1, { status: 'success' });
    },
    script: () => ({ replies: [failed('timeout'), acted()] }),
    expect: { nexts: ['again', 'again', 'done'], status: 'success' },
  },
  {
    name: 'failures that an earlier agent wrote count against the retry limit',
    steps: [click()],
    rows: async (task) => {
      const run = await task.earlierRun();
      for (let i = 0; i < 2; i += 1) await task.attempt(run, 1, { status: 'failed', error: 'covered' });
    },
    script: () => ({ replies: [failed('covered')] }),
    expect: { nexts: ['done'], status: 'failed', error: /failed 3 times/ },
  },
  {
    name: 'a step that already failed three times is not sent to the host again',
    steps: [click()],
    rows: async (task) => {
      const run = await task.earlierRun();
      for (let i = 0; i < 3; i += 1) await task.attempt(run, 1, { status: 'failed', error: 'covered' });
    },
    expect: { nexts: ['done'], status: 'failed', error: /failed 3 times: covered/, calls: ['driver 2'] },
  },
  {
    name: 'a page that the guard blocks is not tried again',
    steps: [navigate()],
    script: () => ({ replies: [failed('blocked_by_guard')] }),
    expect: { nexts: ['done'], status: 'failed', attempts: ['1 failed'] },
  },
  {
    name: 'an action that the host does not support is not tried again',
    steps: [click()],
    script: () => ({ replies: [failed('unsupported')] }),
    expect: { nexts: ['done'], status: 'failed', error: /^"Click "Buy"" failed: it is unsupported$/ },
  },
  {
    name: 'a page that left its site is not tried again',
    steps: [click()],
    script: () => ({ replies: [failed('site_changed')] }),
    expect: { nexts: ['done'], status: 'failed', attempts: ['1 failed'] },
  },
  {
    name: 'a secret is not typed again after another field took the focus',
    steps: [{ action: 'type', target: 'Password', text: secret }],
    script: () => ({ replies: [failed('focus_taken', { hasTouched: true })] }),
    expect: {
      nexts: ['done'],
      status: 'failed',
      attempts: ['1 failed, may have acted'],
      calls: ['act type 1'],
    },
  },
  {
    name: 'an error of the page that repeats a typed secret is written down without it',
    steps: [{ action: 'type', target: 'Password', text: secret }],
    script: () => ({ replies: [failed('unsupported', { message: `the field shows ${secret}` })] }),
    expect: { status: 'failed', error: /the field shows ••••••/ },
    also: async (task) => {
      const said = JSON.stringify([await task.logs(), await task.store.steps.of(task.id), await task.row()]);
      // The plan itself holds what it types; everything else must not.
      assert.equal(said.split(secret).length - 1, 1);
    },
  },
  {
    name: 'a task that has used its attempts is not given another',
    steps: [click()],
    settings: { max_steps: 2 },
    script: () => ({ replies: [failed('covered'), failed('covered')] }),
    expect: { nexts: ['again', 'again', 'done'], status: 'failed', error: /max_steps of 2/ },
  },
  {
    name: 'attempts of all steps count against max_steps, also those that succeeded',
    steps: [navigate(), click()],
    settings: { max_steps: 1 },
    script: () => ({ replies: [acted()] }),
    expect: { nexts: ['again', 'done'], status: 'failed', attempts: ['1 success'] },
  },
  {
    name: 'a step that loads a page gets more time than others, in every attempt',
    steps: [navigate()],
    script: () => ({ replies: [failed('navigation_failed'), acted()] }),
    expect: { status: 'success' },
    also: (_, { deadlines }) => assert.deepEqual(deadlines, [15_000, 15_000]),
  },
];

const browsers: Case[] = [
  {
    name: 'a step whose browser was lost is interrupted, and done in a browser that is opened again',
    steps: [click()],
    script: () => ({ replies: [lost({ mayHaveActed: true }), acted()] }),
    expect: {
      nexts: ['again', 'again', 'done'],
      status: 'success',
      attempts: ['1 interrupted, may have acted', '1 success'],
      calls: ['act click 1', 'open 2', 'act click 2'],
      logs: ['The browser was lost (no_session).'],
    },
  },
  {
    name: 'a step whose answer was lost is asked for under the same command id while the host holds the browser',
    steps: [click()],
    script: () => ({ replies: [lost({ isUnheard: true, mayHaveActed: true, reason: 'timeout' }), acted()] }),
    expect: { nexts: ['again', 'again', 'done'], status: 'success', attempts: ['1 success'] },
    also: (_, { commandIds }) => assert.equal(new Set(commandIds).size, 1),
  },
  {
    name: 'a step whose answer was lost is interrupted where the host no longer holds the browser',
    steps: [click()],
    script: () => ({ holds: false, replies: [lost({ isUnheard: true, reason: 'timeout' }), acted()] }),
    expect: { status: 'success', attempts: ['1 interrupted', '1 success'] },
  },
  {
    name: 'a step that is asked for again and whose browser is lost then may have acted, whatever the last answer says',
    steps: [click()],
    script: () => ({ replies: [lost({ isUnheard: true, reason: 'timeout' }), lost({ mayHaveActed: false }), acted()] }),
    expect: { attempts: ['1 interrupted, may have acted', '1 success'] },
  },
  {
    name: 'a step that was interrupted five times fails the task, and is not sent a sixth time',
    steps: [click()],
    script: () => ({ replies: Array.from({ length: 5 }, () => lost()) }),
    expect: {
      status: 'failed',
      error: /^"Click "Buy"" was interrupted 5 times; the last time: The browser was lost \(no_session\)\.$/,
      attempts: Array.from({ length: 5 }, () => '1 interrupted'),
    },
  },
  {
    name: 'interruptions do not count as failures: a step that was interrupted three times may still fail twice',
    steps: [click()],
    script: () => ({ replies: [lost(), lost(), lost(), failed('covered'), acted()] }),
    expect: { status: 'success' },
  },
];

const irreversible: Case[] = [
  {
    name: 'an irreversible step that failed before it touched the page is tried again',
    steps: [pay],
    script: () => ({ replies: [failed('not_found'), acted()] }),
    expect: { status: 'success', attempts: ['1 failed', '1 success'] },
  },
  {
    name: 'an irreversible step that failed after it touched the page ends the task, and is not repeated',
    steps: [pay],
    script: () => ({ replies: [failed('timeout', { hasTouched: true })] }),
    expect: {
      nexts: ['done'],
      status: 'failed',
      error: /failed after it had touched the page: it is timeout\. It cannot be undone, so it was not repeated\./,
    },
  },
  {
    name: 'an irreversible step that failed after it touched the page, by the word of an earlier agent, is not repeated',
    steps: [pay],
    rows: async (task) =>
      task.attempt(await task.earlierRun(), 1, { status: 'failed', error: 'timeout', mayHaveActed: true }),
    expect: { nexts: ['done'], status: 'failed', error: /It cannot be undone/, calls: ['driver 2'] },
  },
  {
    name: 'an irreversible step whose browser was lost before it can have acted is done in the next browser',
    steps: [pay],
    script: () => ({ replies: [lost({ mayHaveActed: false }), acted()] }),
    expect: { status: 'success', attempts: ['1 interrupted', '1 success'] },
  },
  {
    name: 'an irreversible step whose browser was lost while it may have acted asks a person, and is not repeated',
    steps: [pay],
    script: () => ({ replies: [lost({ mayHaveActed: true })] }),
    expect: {
      nexts: ['again', 'wait'],
      status: 'awaiting_user',
      attempts: ['1 interrupted, may have acted'],
      calls: ['act click 1'],
      question: /may or may not have been done: The browser was lost \(no_session\)\./,
    },
  },
];

const dialogs: Case[] = [
  {
    name: 'an alert after a step is closed and written to the log',
    steps: [click()],
    script: () => ({ replies: [acted({ dialog: alert }), acted()], dialogs: [alert, null] }),
    expect: {
      status: 'success',
      calls: ['act click 1', 'dialog', 'act answer_dialog 1', 'dialog'],
      logs: ['The page says: Saved.'],
    },
  },
  {
    name: 'an alert that the next step answers is left to that step',
    steps: [click(), { action: 'answer_dialog', accept: true }],
    script: () => ({ replies: [acted({ dialog: alert }), acted()] }),
    expect: { status: 'success', calls: ['act click 1', 'act answer_dialog 1'] },
  },
  {
    name: 'a step that meets an alert is tried again after the alert is closed',
    steps: [click()],
    script: () => ({ replies: [failed('dialog_open'), acted(), acted()], dialogs: [alert, null] }),
    expect: { status: 'success', attempts: ['1 failed', '1 success'] },
  },
  {
    name: 'a page that shows one alert after the other is answered five times, and the last question ends the task',
    steps: [click()],
    script: () => ({
      replies: [failed('dialog_open'), ...Array.from({ length: 5 }, () => acted())],
      dialogs: Array.from({ length: 6 }, () => alert),
    }),
    expect: { nexts: ['done'], status: 'failed', error: /the next step does not answer it/ },
  },
  {
    name: 'a question of the page that no step answers ends the task at once',
    steps: [click()],
    script: () => ({ replies: [failed('dialog_open')], dialogs: [confirm] }),
    expect: {
      nexts: ['done'],
      status: 'failed',
      error: /The page asks "Really\?" \(confirm\), and the next step does not answer it: add an answer_dialog step\./,
    },
  },
  {
    name: 'a question of the page that repeats what was typed is written down without it',
    steps: [{ action: 'type', target: 'Name', text: secret }],
    script: () => ({
      replies: [failed('dialog_open')],
      dialogs: [{ ...confirm, message: `Leave ${secret}?` }],
    }),
    expect: { status: 'failed', error: /The page asks "Leave ••••••\?"/ },
  },
];

const files: Case[] = [
  {
    name: 'a downloaded file is fetched and written with the step',
    steps: [{ action: 'download', target: 'List' }],
    script: () => ({ replies: [acted({ file })] }),
    files: ({ store, sessionId }) => ({
      async fetch() {
        await store.blobs.put(`sessions/${sessionId}/files/f1`, new Uint8Array(3));
        return {
          id: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
          name: 'list.csv',
          blobKey: `sessions/${sessionId}/files/f1`,
          byteLen: 3,
        };
      },
    }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: async ({ store, id }) =>
      assert.deepEqual(
        (await store.files.listOf(id)).map(({ name, content_type }) => [name, content_type]),
        [['list.csv', 'text/csv']],
      ),
  },
  {
    name: 'a download that the host no longer has is tried again, because the page may give it again',
    steps: [{ action: 'download', target: 'List' }],
    script: () => ({ replies: [acted({ file }), acted()] }),
    files: () => ({ fetch: async () => null }),
    expect: { status: 'success', attempts: ['1 failed, may have acted', '1 success'] },
  },
  {
    name: 'a download that exceeds the quota of the user fails the task, and is not tried again',
    steps: [{ action: 'download', target: 'List' }],
    script: () => ({ replies: [acted({ file })] }),
    files: () => ({ fetch: () => Promise.reject(new FileQuotaExceeded(1024 ** 2)) }),
    expect: { nexts: ['done'], status: 'failed', error: /the quota of 1 MB for files/ },
  },
  {
    name: 'an upload sends the file before the step, and the step is not done where there is no such file',
    steps: [{ action: 'upload', target: 'File', file: 'missing.pdf' }],
    files: () => ({
      send: async () => ({ type: 'failed', failure: 'too_large', message: 'no file "missing.pdf"', hasTouched: false }),
    }),
    expect: { nexts: ['done'], status: 'failed', attempts: ['1 failed'], calls: [] },
  },
  {
    name: 'an upload whose browser is lost on the way is interrupted, and done in the next browser',
    steps: [{ action: 'upload', target: 'File', file: 'a.pdf' }],
    script: () => ({ replies: [acted()] }),
    files: () => {
      let sends = 0;
      return {
        async send() {
          sends += 1;
          return sends === 1
            ? { type: 'lost', reason: 'no_session', mayHaveActed: false, isUnheard: false }
            : undefined;
        },
      };
    },
    expect: { status: 'success', attempts: ['1 interrupted', '1 success'], calls: ['open 2', 'act upload 2'] },
  },
];

describeCases('what follows the answer of a host', outcomes);
describeCases('what follows a lost browser', browsers);
describeCases('an irreversible step', irreversible);
describeCases('a dialog of the page', dialogs);
describeCases('a step with a file', files);
