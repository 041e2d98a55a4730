import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { localUser } from '@pilothouse/store';
import { acted } from '../../testing/scripted-browsers.ts';
import { finishes, handle, page, says } from '../../testing/scripted-mind.ts';
import { type BenchTask, type Case, describeCases } from '../../testing/task-bench.ts';
import { callKeyOf } from './kept-call.ts';
import { requestOf } from './prompt.ts';
import { replay } from './replay.ts';

const canary = 'TOUCAN-610037';
const said = 'PELICAN-4637';
const view = page('h1', { text: 'Total: 3\n[e1 button "Buy"] [e3 field "Name"]' });
/** The page repeats what was typed. */
const after = page('h2', {
  text: `Total: 3\n[e3 field "Name" = "${canary}"] Hello ${canary}`,
  handles: [handle('e3', canary)],
});
const type: Parameters<typeof says>[0] = ['fill', { items: [{ ref: 'e3', text: canary }] }];
const blobsOf = async (task: BenchTask) => {
  const row = await task.row();
  const numbers = (await task.store.modelCalls.of(task.id)).map(({ number }) => number);
  const read = await Promise.all(numbers.map((number) => task.store.blobs.get(callKeyOf(row, number))));
  return read.map((bytes) => bytes && gunzipSync(bytes).toString());
};

const kept: Case[] = [
  {
    name: 'each decision leaves a blob with its request and answer, and nothing that was typed or that people said is in one',
    settings: { constraints: [`Never tell ${said}`] },
    rows: async (task) => {
      await task.sql('update tasks set prompt = $2 where id = $1', [task.id, `Log in as Ada with ${canary}`]);
      await task.store.change(task.sessionId, (tx) =>
        task.store.taskMessages.add(tx, { taskId: task.id, authorId: localUser.id, text: `The code is\n${said}` }),
      );
    },
    answers: () => [says(['look', {}]), says(type), finishes({ total: 3 })],
    script: () => ({ views: [view, view], view: after, picture: new Uint8Array([1]), replies: [acted()] }),
    expect: { status: 'success' },
    also: async (task, { requests }) => {
      assert.ok(JSON.stringify(requests).includes(canary) && JSON.stringify(requests).includes(said));
      const blobs = await blobsOf(task);
      assert.equal(blobs.length, 3);
      for (const blob of blobs) {
        assert.match(blob ?? '', /The task: \{prompt\}/);
        assert.doesNotMatch(blob ?? '', /TOUCAN|PELICAN/);
      }
      assert.match(blobs[0] ?? '', /sessions\/[^"]+\/seen\/[^"]+\.jpeg/, 'a picture is in it by its key');
      const keys = [callKeyOf(await task.row(), 1), callKeyOf(await task.row(), 9)];
      assert.deepEqual([...(await task.store.knownBlobs.of(task.sessionId, keys))], keys.slice(0, 1));
      const { lines, differs, same } = await replay(task.store, await task.row());
      assert.deepEqual([differs, same], [undefined, 3], lines.join('\n'));
      assert.match(lines[1] ?? '', /^call 2: the same; test\/one answered fill$/);
    },
  },
  {
    name: 'a replay says at which call a changed prompt differs',
    answers: () => [says(['scroll', { screens: 1 }]), says(['scroll', { screens: 2 }]), finishes()],
    script: () => ({ view, replies: [acted(), acted()] }),
    expect: { status: 'success' },
    also: async (task) => {
      const row = await task.row();
      const otherSystem: typeof requestOf = (words) => {
        const request = requestOf(words);
        return { ...request, system: { text: `${request.system.text} Be quick.` } };
      };
      const first = await replay(task.store, row, otherSystem);
      assert.equal(first.differs, 1);
      assert.match(
        first.lines[0] ?? '',
        /^call 1: the system prompt differs at character \d+: "" is now " Be quick\."$/,
      );
      const laterOnly: typeof requestOf = (words) =>
        requestOf({ ...words, notes: words.history.length > 2 ? ['Hurry.'] : words.notes });
      const later = await replay(task.store, row, laterOnly);
      assert.deepEqual([later.differs, later.same], [3, 2]);
      assert.match(later.lines[2] ?? '', /^call 3: message \d+ differs/);
    },
  },
];
describeCases('kept calls', kept);
