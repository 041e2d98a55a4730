import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { browserSilent, connectBus, queues } from '@pilothouse/bus';
import { isApiError } from '@pilothouse/sdk';
import { localUser } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { type DrivenHost, startDrivenHost } from '../../testing/driven-host.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('the takeover of a session', () => {
  let one: TestServer;
  let other: TestServer;
  let host: DrivenHost;
  before(async () => {
    one = await startTestServer({ isAuthDisabled: true });
    other = await one.another();
    host = await startDrivenHost(one);
  });
  after(async () => {
    await host.close();
    await one.close();
  });

  async function open() {
    const { session } = await one.client.createSession();
    const browser = await host.open(session.id);
    return { id: session.id, browser };
  }
  const take = (id: string, server = one) =>
    server.client.requestSessionTakeover({ id, reason: 'to log in' }).then(({ takeover }) => takeover);
  const stateOf = async (id: string) => {
    const { snapshot } = await other.client.getSession({ id });
    return { status: snapshot.session.status, takeover: snapshot.takeover };
  };
  const overlaysOf = async (id: string) => (await one.client.getSession({ id })).snapshot.overlays;

  it('is active at once if no task runs, and shown at every server', async () => {
    const { id, browser } = await open();
    const { resume_token, ...takeover } = await take(id);
    assert.ok(resume_token?.startsWith('phw_'));
    assert.equal(takeover.status, 'active');
    assert.equal(takeover.requested_by, localUser.username);
    assert.equal(takeover.held_by, localUser.id);
    assert.equal(takeover.reason, 'to log in');
    assert.equal(browser.epoch(), takeover.epoch, 'the host knows who drives');
    assert.deepEqual(await stateOf(id), { status: 'takeover', takeover });
    await assert.rejects(take(id, other), { code: 'takeover_conflict', status: 409 });

    const back = await other.client.resumeSessionTakeover({ id });
    assert.equal(back.takeover.status, 'ended');
    assert.equal(browser.epoch(), takeover.epoch + 1);
    assert.deepEqual(await stateOf(id), { status: 'idle', takeover: null });
    await assert.rejects(other.client.resumeSessionTakeover({ id }), { code: 'conflict' });
  });

  it('is ended by its token, and by no other', async () => {
    const { id } = await open();
    const { resume_token } = await take(id);
    await assert.rejects(one.client.resumeSessionTakeover({ id, resume_token: 'phw_wrong' }), {
      code: 'takeover_conflict',
    });
    const { takeover } = await one.client.resumeSessionTakeover({ id, resume_token });
    assert.equal(takeover.status, 'ended');
  });

  it('does each input once and in order, at any server, however often it is sent', async () => {
    const { id, browser } = await open();
    const { takeover_id, epoch } = await take(id);
    const text = 'pilothouse';
    const keys = [...text].map((letter, index) => ({
      action: 'type' as const,
      text: letter,
      takeover_id,
      input_seq: index + 1,
    }));
    const sends = keys.flatMap((key, index) => {
      const server = index % 2 === 0 ? one : other;
      const send = () => server.client.movePointer({ id, ...key });
      return index % 3 === 0 ? [send, send] : [send];
    });
    const answers = await Promise.all(sends.toReversed().map((send) => send()));
    assert.equal(Math.max(...answers.map(({ pointer }) => pointer.seq)), text.length);
    assert.equal(browser.done.map((input) => input.text).join(''), text);
    assert.ok(browser.done.every((input) => input.epoch === epoch));

    const click = { action: 'click', x: 10, y: 20 } as const;
    const { pointer } = await other.client.movePointer({ id, actions: [click, { action: 'key', key: 'Enter' }] });
    assert.equal(pointer.seq, text.length, 'what is not counted comes behind what was, and takes no number');
    assert.deepEqual(
      browser.done.slice(-2).map(({ action }) => action),
      ['click', 'key'],
    );
  });

  it('goes on in a window that begins, without losing or doubling a character', async () => {
    const { id, browser } = await open();
    const first = await one.client.requestSessionTakeover({ id, client_id: 'tab 1' });
    assert.equal(first.takeover.client_id, 'tab 1');
    assert.equal(first.takeover.last_input_seq, 0);
    const { takeover_id } = first.takeover;
    const text = Array.from({ length: 200 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
    const send = (server: TestServer, client_id: string, from: number, to: number) =>
      [...text.slice(from - 1, to)].map((letter, index) =>
        server.client.movePointer({
          id,
          ...{ action: 'type', text: letter, takeover_id, client_id, input_seq: from + index },
        }),
      );
    const lastSeq = async (server: TestServer) => (await server.client.getSession({ id })).snapshot.takeover;

    // The first page is reloaded while some of what it sent is on its way.
    const sent = send(one, 'tab 1', 1, 60);
    for (const one of sent) one.catch(() => undefined);
    await Promise.all(sent.slice(0, 20));
    const { takeover: reloaded } = await other.client.setTakeoverClient({ id, client_id: 'tab 1 again' });
    assert.equal(reloaded.client_id, 'tab 1 again');
    const accepted = reloaded.last_input_seq ?? -1;
    assert.ok(accepted >= 20 && accepted <= 60, String(accepted));
    assert.equal((await lastSeq(one))?.last_input_seq, accepted);
    const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 60 - accepted, 'what was not accepted was refused, and nothing else');
    await Promise.all(send(other, 'tab 1 again', accepted + 1, 120));

    const { takeover: moved } = await one.client.setTakeoverClient({ id, client_id: 'tab 2', takeover_id });
    assert.equal(moved.last_input_seq, 120);
    for (const server of [one, other])
      await assert.rejects(Promise.all(send(server, 'tab 1 again', 121, 121)), { code: 'takeover_conflict' });
    const uncounted = { id, action: 'type', text: 'never', takeover_id } as const;
    await assert.rejects(one.client.movePointer({ ...uncounted, input_seq: 121 }), { code: 'takeover_conflict' });
    await assert.rejects(one.client.movePointer({ ...uncounted, client_id: 'tab 3' }), { code: 'takeover_conflict' });
    await Promise.all(send(one, 'tab 2', 121, 200));
    assert.equal(browser.done.map((input) => input.text).join(''), text);

    const same = await other.client.setTakeoverClient({ id, client_id: 'tab 2' });
    assert.equal(same.takeover.last_input_seq, 200, 'named again, it is the same answer');
    const stranger = '0190a1b2-0000-7000-8000-000000000000';
    for (const other_id of [stranger, 'none'])
      await assert.rejects(one.client.setTakeoverClient({ id, client_id: 'x', takeover_id: other_id }), {
        code: 'takeover_conflict',
      });
    await one.client.resumeSessionTakeover({ id });
    await assert.rejects(one.client.setTakeoverClient({ id, client_id: 'tab 2' }), { code: 'takeover_conflict' });
  });

  it('says which window drives to those who follow the session', async () => {
    const { id } = await open();
    await take(id);
    const { cursor } = (await other.client.getSession({ id })).snapshot;
    await one.client.setTakeoverClient({ id, client_id: 'tab 2' });
    const ending = new AbortController();
    for await (const event of other.client.followSession({ id, cursor }, { signal: ending.signal })) {
      if (event.type !== 'takeover') continue;
      assert.equal(event.takeover.client_id, 'tab 2');
      assert.equal(event.takeover.held_by_name, localUser.username);
      assert.equal(event.takeover.last_input_seq, undefined, 'the count is only for the holder');
      break;
    }
    ending.abort();
  });

  it('is kept by a person who says that they are there, for a time without input', async () => {
    const { id } = await open();
    const { takeover_id } = await take(id);
    const set = (change: string) =>
      one.store.transaction(({ client }) =>
        client.query(`update takeovers set ${change} where id = $1`, [takeover_id]),
      );
    const leftSecs = ({ expires_at }: { expires_at: string }) => (Date.parse(expires_at) - Date.now()) / 1000;
    await set(`expires_at = clock_timestamp() + interval '20 s'`);
    const { takeover } = await other.client.renewTakeover({ id, takeover_id });
    assert.ok(leftSecs(takeover) > 280 && leftSecs(takeover) < 310, takeover.expires_at);
    assert.equal((await stateOf(id)).takeover?.expires_at, takeover.expires_at);

    await set(`activated_at = clock_timestamp() - interval '4 h' + interval '100 s',
      expires_at = clock_timestamp() + interval '20 s'`);
    const { takeover: bounded } = await one.client.renewTakeover({ id });
    assert.ok(leftSecs(bounded) > 80 && leftSecs(bounded) < 110, bounded.expires_at);
    await set(`renewed_at = clock_timestamp() - interval '1 min'`);
    await one.client.movePointer({ id, action: 'click', x: 1, y: 2 });
    const { takeover: used } = await one.client.renewTakeover({ id });
    assert.ok(leftSecs(used) > 280, 'input makes the time begin again');

    await set(`expires_at = clock_timestamp() - interval '1 ms'`);
    await assert.rejects(one.client.renewTakeover({ id }), { code: 'takeover_conflict' });
  });

  it('refuses input of callers who do not drive', async () => {
    const { id, browser } = await open();
    const click = { id, action: 'click', x: 1, y: 2 } as const;
    await assert.rejects(one.client.movePointer(click), { code: 'takeover_conflict', status: 409 });
    const first = await take(id);
    await one.client.movePointer(click);
    await assert.rejects(one.client.movePointer({ ...click, takeover_id: '0190a1b2-0000-7000-8000-000000000000' }), {
      code: 'takeover_conflict',
    });
    await one.client.resumeSessionTakeover({ id });
    await assert.rejects(other.client.movePointer({ ...click, takeover_id: first.takeover_id }), {
      code: 'takeover_conflict',
    });
    const second = await take(id);
    await assert.rejects(other.client.movePointer({ ...click, takeover_id: first.takeover_id }), {
      code: 'takeover_conflict',
    });
    // What was meant for the browser before it was opened again is not done on another page, and it is not said to wait.
    const former = { ...click, takeover_id: second.takeover_id, epoch: first.epoch, input_seq: 1 };
    await assert.rejects(
      other.client.movePointer(former),
      (error) => isApiError(error, 'conflict') && error.retryAfterSecs === undefined,
    );
    await other.client.movePointer({ ...former, epoch: second.epoch });
    assert.deepEqual(
      browser.done.map(({ epoch }) => epoch),
      [first.epoch, second.epoch],
    );
  });

  it('ends with its lease, with or without agents', async () => {
    const { id, browser } = await open();
    const { takeover_id } = await take(id);
    await one.store.transaction(({ client }) =>
      client.query(`update takeovers set expires_at = clock_timestamp() - interval '1 ms' where id = $1`, [
        takeover_id,
      ]),
    );
    const click = { id, action: 'click', x: 1, y: 2, takeover_id, input_seq: 1 } as const;
    await assert.rejects(one.client.movePointer(click), { code: 'takeover_conflict' });
    assert.deepEqual(browser.done, []);
  });

  it('leaves traces of input, without what was typed', async () => {
    const { id } = await open();
    const { takeover_id } = await take(id);
    const canary = 'correct horse battery';
    const actions = [
      { action: 'click', x: 10, y: 20, input_seq: 1 },
      { action: 'type', text: canary, input_seq: 2 },
      { action: 'type', text: canary, input_seq: 3 },
      { action: 'paste', text: canary, input_seq: 4 },
      { action: 'navigate', url: `http://desk.test/?${encodeURIComponent(canary)}`, input_seq: 5 },
      { action: 'move', x: 1, y: 1, input_seq: 6 },
    ] as const;
    const batch = { id, actions: actions.map((action) => ({ ...action, takeover_id })) };
    await one.client.movePointer(batch);
    await other.client.movePointer(batch);
    const overlays = await overlaysOf(id);
    assert.deepEqual(
      overlays.map(({ source, kind, label, point }) => [source, kind, label, point]),
      [
        ['human', 'click', 'Click', { x: 10, y: 20 }],
        ['human', 'type', 'Type', null],
        ['human', 'type', 'Paste', null],
        ['human', 'navigate', 'Open an address', null],
      ],
    );
    const audit = (await one.store.audit.of(localUser.id)).filter(
      ({ event, data }) => event === 'pointer' && JSON.stringify(data).includes(id),
    );
    assert.equal(audit.length, 1);
    const everything = await one.store.transaction(async ({ client }) => {
      const tables = ['events', 'audit', 'takeovers', 'pointers', 'logs'];
      const lines: unknown[] = [];
      for (const name of tables)
        lines.push(...(await client.query(`select to_jsonb(t)::text as line from ${name} t`)).rows);
      return JSON.stringify(lines);
    });
    for (const said of [everything, ...one.logged, ...other.logged]) {
      assert.ok(!said.includes(canary) && !said.includes(encodeURIComponent(canary)), 'found what was typed');
    }
  });

  it('has one holder, if several ask at once at two servers; the former holder can do nothing', async () => {
    const { id, browser } = await open();
    let expected = 0;
    for (let round = 0; round < 10; round += 1) {
      const servers = [one, other, one, other];
      const asked = await Promise.allSettled(servers.map((server) => take(id, server)));
      const granted = asked.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      assert.equal(granted.length, 1, `round ${round}`);
      const { takeover_id = '', epoch = 0 } = granted[0] ?? {};
      assert.ok(!browser.mayAct(epoch - 1), 'the host refuses the former driver');
      const late = { id, action: 'click', x: 1, y: 1, takeover_id } as const;
      const clicks = await Promise.allSettled([
        one.client.movePointer({ ...late, input_seq: 1 }),
        other.client.resumeSessionTakeover({ id }),
        other.client.movePointer({ ...late, input_seq: 2 }),
      ]);
      assert.equal(clicks[1]?.status, 'fulfilled');
      expected += clicks.filter(({ status }, index) => index !== 1 && status === 'fulfilled').length;
      await assert.rejects(one.client.movePointer({ ...late, input_seq: 3 }), { code: 'takeover_conflict' });
    }
    assert.ok(browser.done.length >= expected);
    const epochs = browser.done.map(({ epoch }) => epoch);
    assert.deepEqual(
      epochs,
      epochs.toSorted((a, b) => a - b),
      'never one after the next',
    );
  });

  it('sets a route without moving the browser, once; focus without a takeover only answers', async () => {
    const { id, browser } = await open();
    const route = { page: 'p2', url: 'http://desk.test/two', title: 'Two' };
    const first = await one.client.movePointer({ id, route });
    assert.deepEqual(first.pointer.route, { session: id, frame: null, ...route });
    assert.deepEqual(await other.client.movePointer({ id, route }), first, 'said again, nothing happens');
    const { snapshot } = await one.client.getSession({ id });
    assert.equal(snapshot.route_summary.history.filter(({ url }) => url === route.url).length, 1);
    const { pointer } = await one.client.movePointer({ id, action: 'focus', page: 'p1' });
    assert.equal(pointer.route.page, 'p1');
    assert.deepEqual(browser.done, [], 'the agent works where it worked');
    await take(id);
    await one.client.movePointer({ id, action: 'focus', page: 'p1' });
    assert.deepEqual(
      browser.done.map(({ action }) => action),
      ['focus'],
      'with a takeover it does',
    );
  });

  it('waits for a browser if there is none, and has agents ask a host that is silent', async () => {
    const { session } = await one.client.createSession();
    const waiting = await take(session.id);
    assert.equal(waiting.status, 'requested');
    assert.equal((await stateOf(session.id)).status, 'idle');
    await one.client.resumeSessionTakeover({ id: session.id });

    const { id, browser } = await open();
    await take(id);
    await browser.leave();
    const agent = await connectBus({ ...one.nats.as('agent'), name: 'an agent' });
    const silent: string[] = [];
    const heard = agent.subscribe(browserSilent, {}, ({ session_id }) => void silent.push(session_id), {
      queue: queues.silent,
    });
    await heard.ready({ timeoutMs: 5000 });
    const click = { id, action: 'click', x: 1, y: 2 } as const;
    await assert.rejects(one.client.movePointer(click), { code: 'conflict', retryAfterSecs: 1 }, 'it may come back');
    await until(() => silent.includes(id), 5000);
    assert.equal((await one.store.browsers.of(id))?.host_id, 'browser-1', 'an agent decides whether it is gone');
    assert.equal((await stateOf(id)).status, 'takeover', 'and the person still drives');
    await assert.rejects(one.client.movePointer(click), { code: 'conflict' });
    await agent.close();
  });

  it('is refused if a task is open or the session is closed; closing the session ends it', async () => {
    const { session_id: id } = await one.client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    await assert.rejects(take(id), { code: 'conflict' });
    const own = await open();
    await take(own.id);
    await one.client.deleteSession({ id: own.id });
    assert.deepEqual(await stateOf(own.id), { status: 'closed', takeover: null });
    await assert.rejects(take(own.id), { code: 'conflict' });
    await assert.rejects(one.client.movePointer({ id: own.id, route: {} }), { code: 'conflict' });
  });

  it('tells the host that a person drives, for as long as they do', async () => {
    const { id } = await open();
    const stop = new AbortController();
    const followed = (async () => {
      for await (const _ of one.client.followSession({ id }, { signal: stop.signal }));
    })().catch(() => {});
    const untilTold = (isDriven: boolean) =>
      until(() => host.watched.findLast(({ sessionId }) => sessionId === id)?.isDriven === isDriven, 5000);
    await untilTold(false);
    await take(id);
    await untilTold(true);
    await one.client.resumeSessionTakeover({ id });
    await untilTold(false);
    stop.abort();
    await followed;
  });

  // Last: other tests would meet a bus that has just come back.
  it('does an input once whose answer the bus lost, and answers it when the bus is back', async () => {
    const { id, browser } = await open();
    const { takeover_id } = await take(id);
    let cuts = 0;
    browser.beforeAnswer(async () => {
      cuts += 1;
      if (cuts > 1) return;
      await one.nats.kill();
      await one.nats.start();
    });
    const { pointer } = await one.client.movePointer({ id, action: 'type', text: 'a', takeover_id, input_seq: 1 });
    assert.equal(pointer.seq, 1);
    assert.equal(cuts, 2, 'the host was asked again');
    assert.deepEqual(
      browser.done.map(({ text }) => text),
      ['a'],
    );
    cuts = 0;
    const uncounted = one.client.movePointer({ id, action: 'type', text: 'b', takeover_id });
    await assert.rejects(uncounted, { code: 'conflict' }, 'without a number it might be done twice');
    assert.equal(browser.done.length, 2);
  });
});
