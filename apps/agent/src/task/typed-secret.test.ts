import assert from 'node:assert/strict';
import type { Step } from '@pilothouse/contract';
import { localUser } from '@pilothouse/store';
import { acted, type SentCommand } from '../../testing/scripted-browsers.ts';
import { finishes, page, says } from '../../testing/scripted-mind.ts';
import { type BenchTask, type Case, describeCases } from '../../testing/task-bench.ts';

const value = 'Canary-Lantern-4711';
const origins = ['https://shop.test'];
const key = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const typing = (text: string): Step => ({ action: 'type', target: 'Password', text });

let number = 0;
/** A secret of the task's user under a new name. */
function newName(): string {
  number += 1;
  return `s${number}`;
}
const keep = ({ store }: BenchTask, name: string, totp?: string) =>
  store.transaction((tx) => store.secrets.put(tx, localUser.id, { name, value, origins, totp }));

const sent: SentCommand[] = [];
const remember = async (command: SentCommand) => {
  sent.push(command);
  return acted();
};

/** Every row of the database as text. */
async function rowsOf({ sql }: BenchTask): Promise<string> {
  const { rows: tables } = await sql(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`,
    [],
  );
  const texts = [];
  for (const { name } of tables) texts.push((await sql(`select t::text as row from ${name} t`, [])).rows);
  return JSON.stringify(texts);
}

const [plain, code, gone, unnamed, named] = Array.from({ length: 5 }, newName) as [
  string,
  string,
  string,
  string,
  string,
];

const cases: Case[] = [
  {
    name: 'the value is in the command and in no row',
    steps: [typing(`{{secret:${plain}}}`)],
    rows: (task) => keep(task, plain),
    script: () => ({ replies: [remember] }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: async (task) => {
      const { command } = sent.at(-1) ?? {};
      assert.deepEqual(command?.secret, { name: plain, value, origins, is_code: false });
      assert.deepEqual(command?.step, typing(`{{secret:${plain}}}`));
      assert.ok(!(await rowsOf(task)).includes(value));
      assert.deepEqual(await task.store.secrets.typedIn(task.sessionId), [value]);
      const [row] = await task.store.secrets.named(localUser.id, [plain]);
      assert.ok(row?.last_used_at);
    },
  },
  {
    name: 'a one-time code is made when the command is sent, and its key stays where it is',
    steps: [typing(`{{totp:${code}}}`)],
    rows: (task) => keep(task, code, key),
    script: () => ({ replies: [remember] }),
    expect: { status: 'success' },
    also: () => {
      const { secret } = sent.at(-1)?.command ?? {};
      assert.match(secret?.value ?? '', /^\d{6}$/);
      assert.equal(secret?.is_code, true);
      assert.ok(!JSON.stringify(sent.at(-1)?.command).includes(key));
    },
  },
  {
    name: 'a secret that is not there fails the task with a plain sentence, and nothing is sent',
    steps: [typing(`{{secret:${gone}}}`)],
    expect: { status: 'failed', error: new RegExp(`there is no secret ${gone}`), calls: [] },
  },
  {
    name: 'a code of a secret without a key for codes fails the task',
    steps: [typing(`{{totp:${plain}}}`)],
    expect: { status: 'failed', error: /has no key for one-time codes/, calls: [] },
  },
  {
    name: 'a model types no secret that no person named, and is told so',
    rows: (task) => keep(task, unnamed),
    answers: () => [says(['fill', { items: [{ ref: 'e3', text: `{{secret:${unnamed}}}` }] }]), finishes()],
    script: () => ({ view: page() }),
    expect: { status: 'success', calls: ['see', 'see'], attempts: ['1 failed'] },
    also: (_, { requests }) => assert.match(JSON.stringify(requests.at(-1)?.messages), /does not name the secret/),
  },
  {
    name: 'a model types a secret that the task names, by its name, and is told where it may be typed',
    settings: { constraints: [`Use {{secret:${named}}}`] },
    rows: (task) => keep(task, named),
    answers: () => [says(['fill', { items: [{ ref: 'e3', text: `{{secret:${named}}}` }] }]), finishes()],
    script: () => ({ view: page(), replies: [remember] }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: (_, { requests }) => {
      const said = JSON.stringify(requests.map(({ system, messages }) => [system, messages]));
      assert.ok(said.includes(`Secret for https://shop.test: {{secret:${named}}}`));
      assert.ok(!said.includes(value));
      assert.equal(sent.at(-1)?.command.secret?.value, value);
    },
  },
];

describeCases('a step that types a secret', cases);
