import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type EvidenceBody,
  type EvidenceHeader,
  type EvidenceKind,
  EvidenceLine,
  type EvidenceRecord,
  evidenceBodies,
} from '@pilothouse/contract';
import { describeVerdict, sha256, verifyBundle } from '@pilothouse/evidence';
import { bytesFrom } from '@pilothouse/evidence/testing';
import { type Client, createClient, readEvidence } from '@pilothouse/sdk';
import { type Caller, newId, type TaskRow } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { finish, images, makeEvidenceTask } from '../../testing/evidence-task.ts';
import { makeFrame } from '../../testing/recording.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeObservation, makeTask } from '../../testing/tasks.ts';

const password = 'a lamp in the harbour';
const waitMs = 30_000;
const asked = {
  class: 'commit',
  site: 'https://shop.test',
  facts: { name: 'Buy', amounts: ['€ 20.00'] },
  expiresInSecs: 60,
} as const;
const mib = (bytes: number) => Math.round(bytes / 1024 ** 2);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** What is alive, and not what was not collected yet. */
async function liveBytes(): Promise<number> {
  // Buffers are given back beside the collection: the second one waits for the first.
  for (let i = 0; i < 2; i += 1) {
    collect();
    await nextTurn();
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
type Person = Caller & { name: string; token: string; client: Client };

describe('the evidence of a task', () => {
  let server: TestServer;
  let owner: Person;
  let stranger: Person;
  let admin: Person;
  let key: string;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    [owner, stranger, admin] = (await Promise.all(['ada', 'eve', 'root'].map(newPerson))) as [Person, Person, Person];
    await server.store.users.setRole(admin.id, 'admin');
    key = (await server.client.listEvidenceKeys()).keys[0]?.public_key ?? '';
  });
  after(() => server.close());

  async function newPerson(name: string): Promise<Person> {
    const { user } = await server.client.register({ username: name, email: `${name}@example.test`, password });
    const { access_token: token } = await server.client.login({ username_or_email: name, password });
    return {
      id: user.id,
      role: 'user',
      name,
      token,
      client: createClient({ baseUrl: server.baseUrl, token: () => token }),
    };
  }
  const ask = (id: string, headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${server.baseUrl}/api/tasks/${id}/evidence`, { headers, signal });
  const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

  async function take(id: string, person = owner) {
    const response = await ask(id, bearer(person));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="evidence-${id}.ndjson"`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const verdict = await verifyBundle([bytes].values() as unknown as AsyncIterable<Uint8Array>, { key });
    assert.ok(verdict.isWhole, describeVerdict(verdict));
    const lines = bytes
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const line of lines) EvidenceLine.parse(line);
    const records = lines.slice(1, -1) as EvidenceRecord[];
    for (const { kind, body } of records)
      assert.deepEqual(evidenceBodies[kind as EvidenceKind].strict().parse(body), body, kind);
    const of = <Kind extends EvidenceKind>(kind: Kind) =>
      records.filter((record) => record.kind === kind).map(({ body }) => body as unknown as EvidenceBody<Kind>);
    return { header: lines[0] as EvidenceHeader, records, of, text: bytes.toString('utf8') };
  }

  it('has what was asked, decided, done, seen, said and answered, and how it ended', async () => {
    const held = await makeEvidenceTask({ store: server.store, owner, client: owner.client });
    const { store } = server;
    const approval = { ...{ id: newId(), taskId: held.task.id, stepIndex: 4, fingerprint: 'a'.repeat(64) }, ...asked };
    await store.transaction((tx) => store.approvals.add(tx, approval));
    await store.transaction((tx) => store.approvals.answer(tx, held.task.id, 'once', owner.id));
    await finish(server.store, held);
    const { header, records, of, text } = await take(held.task.id);
    assert.deepEqual([header.state, header.task.status], ['finished', 'success']);
    assert.deepEqual(header.made_for, { id: owner.id, name: 'ada' });
    assert.deepEqual([records[0]?.kind, records.at(-1)?.kind], ['task', 'outcome']);
    const [task] = of('task');
    assert.equal(task?.prompt, 'Buy a lantern');
    assert.equal(task?.plan?.steps.length, 5);
    assert.deepEqual(task?.created_by, { id: owner.id, name: 'ada' });

    const [decision] = of('decision');
    assert.ok(decision);
    const { goal, thinking, actions, call, shown_text, pictures } = decision;
    assert.deepEqual([goal, thinking], ['Put it into the basket', 'The red one is cheaper']);
    assert.deepEqual(actions[0]?.step_ids, ['step-4', 'step-5']);
    assert.deepEqual([call.input_tokens, call.output_tokens, call.cost_micros], [900, 50, 1234]);
    assert.equal(shown_text, '[e1 field "Password" = "••••"]');
    assert.equal((pictures.shown as { sha256: string }).sha256, sha256(images.shown));
    assert.equal(of('model_call')[0]?.purpose, 'decide');

    const [done, failed] = of('act');
    assert.ok(done && failed);
    assert.deepEqual([done.step_id, done.status, done.step?.action], ['step-4', 'success', 'click']);
    const hashes = [done.pictures.before, done.pictures.after].map((one) => one && 'sha256' in one && one.sha256);
    assert.deepEqual(hashes, [sha256(images.before), sha256(images.after)]);
    assert.deepEqual([failed.error, failed.may_have_acted], ['It was not there.', true]);
    assert.equal((failed.pictures.before as { left_out: string }).left_out, 'private');
    assert.equal(of('execution')[0]?.outcome, 'success');
    assert.equal(of('observation').length, 1);

    const [question] = of('question');
    assert.deepEqual([question?.question, question?.answer], ['Which size?', 'The large one']);
    assert.deepEqual(question?.answered_by, { id: owner.id, name: 'ada' });
    const [yes] = of('approval');
    assert.deepEqual(
      [yes?.approval_id, yes?.step_id, yes?.class, yes?.act, yes?.answer, yes?.answered_by, yes?.used_at],
      [approval.id, 'step-4', 'commit', asked.facts, 'once', { id: owner.id, name: 'ada' }, null],
    );
    const [takeover] = of('takeover');
    assert.deepEqual(
      [takeover?.holder, takeover?.reason, takeover?.note, takeover?.outcome],
      [{ id: owner.id, name: 'ada' }, 'to log in', 'Logged in as the shop.', 'resumed'],
    );
    assert.deepEqual(
      of('message').map(({ text: words, author }) => [words, author.name]),
      [
        ['Take the red one.', 'ada'],
        ['Logged in as the shop.', 'ada'],
      ],
    );
    const [outcome] = of('outcome');
    assert.deepEqual([outcome?.status, outcome?.result?.summary], ['success', 'Bought.']);
    assert.deepEqual(outcome?.cost, {
      ...{ model_calls: 1, input_tokens: 900, cached_tokens: 100, output_tokens: 50, cost_micros: 1234 },
    });

    // Each picture once, in the order of time between the task and its outcome, and nothing that is withheld.
    const stored = of('picture').map(({ base64 }) => Buffer.from(base64, 'base64').toString());
    assert.deepEqual(stored.toSorted(), [images.after, images.before, images.shown].map(String).toSorted());
    const times = records.filter(({ kind }) => kind !== 'picture').map(({ at }) => at);
    assert.deepEqual(times, times.toSorted());
    assert.ok(
      !text.includes(images.hidden.toString('base64')) && !/token/i.test(text.replaceAll(/"[a-z_]*tokens"/g, '')),
    );
  });

  it('withholds the picture of an observation that recordings withhold', async () => {
    const { store } = server;
    const task = await makeTask(store, { owner });
    const image = Buffer.from('a password is on this page');
    const id = await makeObservation(store, task, { image });
    const frameId = await makeFrame(store, task, { isPrivate: true });
    await store.transaction(({ client }) =>
      client.query('update recorded_frames set frame_id = $2 where frame_id = $1', [frameId, id]),
    );
    const { of, text } = await take(task.id);
    const seen = of('observation')[0]?.pictures.seen;
    assert.ok(seen && 'left_out' in seen && seen.left_out === 'private');
    assert.ok(!text.includes(image.toString('base64')));
  });

  it('says of a running task that it is not finished, and what is asked now', async () => {
    const { task } = await makeEvidenceTask({ store: server.store, owner, client: owner.client });
    const { header, of } = await take(task.id);
    assert.equal(header.state, 'running');
    const [outcome] = of('outcome');
    assert.deepEqual([outcome?.state, outcome?.status, outcome?.finished_at], ['running', 'running', null]);
  });

  it('is for the owner, their keys and admins, and is written to the audit', async () => {
    const { id, session_id } = await makeTask(server.store, { owner });
    const { key: made } = await owner.client.createKey({ label: 'a program' });
    assert.equal((await ask(id, { authorization: `Bearer ${made.key_token}` })).status, 200);
    await take(id, admin);
    assert.equal((await ask(id, bearer(stranger))).status, 404);
    assert.equal((await ask(id, {})).status, 401);
    const { share } = await owner.client.shareSession({ id: session_id });
    assert.equal((await ask(id, { 'x-share-token': share.share_token })).status, 401);
    assert.equal((await ask('nothing', bearer(owner))).status, 404);
    const asked = { method: 'HEAD', headers: bearer(owner) };
    const head = await fetch(`${server.baseUrl}/api/tasks/${id}/evidence`, asked);
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'application/x-ndjson']);
    const entries = (await server.store.audit.of(owner.id)).filter(
      ({ data }) => (data as { task_id?: string }).task_id === id,
    );
    assert.deepEqual(
      entries.map(({ event, actor_id }) => [event, actor_id]),
      [
        ['evidence_taken', null],
        ['admin_read', admin.id],
        ['evidence_taken', admin.id],
      ],
    );
  });

  it('is signed by a key that everyone may read, and by none where the installation has none', async () => {
    const { keys } = await server.client.listEvidenceKeys();
    const { id } = await makeTask(server.store, { owner });
    const { header } = await take(id);
    assert.deepEqual(keys, [
      { key_id: header.key_id, algorithm: 'Ed25519', public_key: header.public_key, signs: true },
    ]);
    const keyless = await server.another({ hasProfileKey: false });
    assert.deepEqual((await keyless.client.listEvidenceKeys()).keys, []);
    const client = createClient({ baseUrl: keyless.baseUrl, token: () => owner.token });
    await assert.rejects(client.getTaskEvidence({ id }), { code: 'conflict', message: /EVIDENCE_KEY/ });
  });

  it('is read line by line by the SDK, which may stop early', async () => {
    const { id } = await makeTask(server.store, { owner });
    const lines = await Array.fromAsync(readEvidence(owner.client, { id }));
    assert.ok(lines.length >= 4 && 'format' in (lines[0] ?? {}) && 'signature' in (lines.at(-1) ?? {}));
    for await (const line of readEvidence(owner.client, { id })) {
      assert.ok('format' in line);
      break;
    }
    await assert.rejects(Array.fromAsync(readEvidence(stranger.client, { id })), { code: 'not_found' });
  });

  it('counts as a stream of its caller', async () => {
    const { id } = await makeTask(server.store, { owner });
    const narrow = await server.another({ streams: { perUser: 0 } });
    const client = createClient({ baseUrl: narrow.baseUrl, token: () => owner.token });
    await assert.rejects(client.getTaskEvidence({ id }), { code: 'rate_limited' });
  });

  describe('of 200 steps with pictures', () => {
    const steps = 200;
    const pictureBytes = 300_000;
    let task: TaskRow;
    const reads: string[] = [];
    before(async () => {
      task = await makeTask(server.store, { owner });
      await lengthen(server, task, { steps, pictureBytes });
      const { get } = server.store.blobs;
      server.store.blobs.get = (name) => {
        reads.push(name);
        return get(name);
      };
    });
    /** Nothing more was read in ten looks in a row. */
    async function settled(): Promise<number> {
      let seen = -1;
      let same = 0;
      await until(() => {
        same = seen === reads.length ? same + 1 : 0;
        seen = reads.length;
        return same === 10;
      }, waitMs);
      return seen;
    }

    it('is read no faster than its reader takes it, and never as a whole', async () => {
      reads.length = 0;
      const response = await ask(task.id, bearer(owner));
      await until(() => reads.length > 0, waitMs);
      const ahead = await settled();
      assert.ok(ahead < steps / 2, `${ahead} pictures were read for a reader that takes nothing`);
      const idle = await liveBytes();
      let most = 0;
      let total = 0;
      const sampled = async function* () {
        for await (const piece of response.body ?? []) {
          if (mib(total) >> 3 !== mib(total + piece.length) >> 3) most = Math.max(most, (await liveBytes()) - idle);
          total += piece.length;
          yield piece;
        }
      };
      const verdict = await verifyBundle(sampled(), { key });
      assert.ok(verdict.isWhole, describeVerdict(verdict));
      assert.deepEqual([verdict.kinds.act, verdict.kinds.picture, reads.length], [steps, steps, steps]);
      console.log(`${mib(total)} MiB, ${ahead} pictures read for an idle reader, at most ${mib(most)} MiB alive`);
      assert.ok(total > steps * pictureBytes && most < 24 * 1024 ** 2, `${mib(most)} MiB alive`);
    });

    it('stops when its reader leaves', async () => {
      reads.length = 0;
      const abort = new AbortController();
      await ask(task.id, bearer(owner), abort.signal);
      await until(() => reads.length > 0, waitMs);
      abort.abort();
      const read = await settled();
      assert.ok(read < steps, `${read} pictures were read for nobody`);
    });
  });
});

/** Rows and pictures of as many steps, each with another picture after it. */
async function lengthen(
  server: TestServer,
  task: TaskRow,
  size: { steps: number; pictureBytes: number },
): Promise<void> {
  const keyOf = (n: number) => `sessions/${task.session_id}/long/${n}.jpeg`;
  await mkdir(dirname(join(server.blobDir, keyOf(1))), { recursive: true });
  for (let n = 1; n <= size.steps; n += 1)
    await writeFile(join(server.blobDir, keyOf(n)), bytesFrom(n, size.pictureBytes));
  const plan = { steps: Array.from({ length: size.steps }, () => ({ action: 'reload' })) };
  await server.store.transaction(async ({ client }) => {
    await client.query('update tasks set plan = $2 where id = $1', [task.id, plan]);
    await client.query(
      `insert into steps (task_id, index, try, execution_id, command_id, epoch, status, intent_at, effect_at)
       select $1, n, 1, gen_random_uuid(), gen_random_uuid(), 1, 'success', now() + n * interval '1 s',
         now() + n * interval '1 s' + interval '400 ms' from generate_series(1, $2::int) n`,
      [task.id, size.steps],
    );
    await client.query(
      `insert into recorded_frames (session_id, seq, frame_id, owner_id, task_id, step_id, recorded_at, content_type, width,
         height, route, blob_key, byte_len)
       select $1, 100 + n, gen_random_uuid(), $2, $3, 'step-' || n, now() + n * interval '1 s' + interval '500 ms',
         'image/jpeg', 1, 1, '{}', $4 || n || '.jpeg', $5::int from generate_series(1, $6::int) n`,
      [task.session_id, task.owner_id, task.id, keyOf(0).replace('0.jpeg', ''), size.pictureBytes, size.steps],
    );
  });
}
