import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  type Bus,
  connectBus,
  type FileCommand,
  type FileReply,
  fileCommand,
  type HostCommand,
  type HostReply,
  hostCommand,
  type SessionCommand,
  type SessionReply,
  sessionCommand,
} from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { newId } from '@pilothouse/store';
import { createHostClient, type HostClient } from './host-client.ts';
import { leftByPerson } from './left-by-person.ts';

const sessionId = newId();
const hold = { hostId: 'h1', sessionId, epoch: 7 };
const stale = { ok: false, failure: 'stale_epoch', message: 'too old', has_touched: false } as const;
const wait = { timeoutMs: 5000 };
const bytes = new Uint8Array([1, 2, 3]);
const page = { url: 'http://site.test/', title: 'A page' };
const observation = { ...page, pages: [], dialog: null, outline: [], next: null, text: null };

describe('the client of a host', () => {
  let nats: NatsForTest;
  let server: Bus;
  let host: Bus;
  let hosts: HostClient;
  let heard: (SessionCommand | HostCommand | FileCommand)[];
  let replies: { session: SessionReply; host: HostReply; file: FileReply };

  before(async () => {
    nats = await startNats({ hosts: ['h1'] });
    [server, host] = await Promise.all([connectBus(nats.as('server')), connectBus(nats.as({ host: 'h1' }))]);
    hosts = createHostClient(server);
    const to = { host_id: 'h1', session_id: sessionId };
    const responders = [
      host.respond(sessionCommand, to, (command) => {
        heard.push(command);
        return { head: replies.session, body: bytes };
      }),
      host.respond(hostCommand, { host_id: 'h1' }, (command) => {
        heard.push(command);
        return replies.host;
      }),
      host.respond(fileCommand, to, ({ head, body }) => {
        heard.push(head);
        assert.deepEqual([...body], [...bytes]);
        return { head: replies.file, body: new Uint8Array() };
      }),
    ];
    await Promise.all(responders.map((responder) => responder.ready({ timeoutMs: 5000 })));
  });
  beforeEach(() => {
    heard = [];
    replies = { session: stale, host: stale, file: stale };
  });
  after(async () => {
    await Promise.all([server?.close(), host?.close()]);
    await nats?.close();
  });

  it('names a new driver', async () => {
    replies.session = { ok: true, type: 'taken', cut: 'c1' };
    const taken = await hosts.take(hold, { ...wait, isPerson: true });
    assert.deepEqual(taken, { type: 'done', reply: { cut: 'c1' } });
    await hosts.take(hold, wait);
    const take = { type: 'take', epoch: 7 };
    assert.deepEqual(heard, [
      { ...take, is_person: true },
      { ...take, is_person: false },
    ]);
  });

  it('reads what a host sees, and what may be stored of it', async () => {
    const route = { session: sessionId, page: 'p1', frame: null, url: 'http://site.test/\0', title: 'A page' };
    const about = { content_type: 'image/jpeg', width: 8, height: 6, device_scale: 1, route } as const;
    const picture = { ...about, private: false, epoch: 7 };
    replies.session = { ok: true, type: 'seen', picture, written: ['Name \ud83d'] };
    const seen = await hosts.look(hold, wait);
    assert.ok(seen.type === 'done', JSON.stringify(seen));
    assert.deepEqual(seen.reply.picture, picture);
    assert.deepEqual([...seen.reply.image], [...bytes]);
    const left = leftByPerson(seen.reply);
    assert.deepEqual(left, { url: 'http://site.test/\uFFFD', written: ['Name \uFFFD'] });
  });

  it('asks for frames', async () => {
    replies.session = { ok: true, type: 'watching' };
    const watching = await hosts.watch(hold, { ...wait, forMs: 4000, isDriven: true });
    assert.equal(watching.type, 'done');
    assert.deepEqual(heard, [{ type: 'watch', for_ms: 4000, is_driven: true, is_recording: false }]);
  });

  it('sends input, and returns the last one that is done', async () => {
    replies.session = { ok: true, type: 'input', seq: 2 };
    const inputs = [{ seq: 2, input: { action: 'back' as const } }];
    assert.deepEqual(await hosts.input(hold, inputs, wait), { type: 'done', reply: { seq: 2 } });
    assert.deepEqual(heard, [{ type: 'input', epoch: 7, inputs }]);
  });

  it('puts a file', async () => {
    replies.file = { ok: true, byte_len: 3 };
    const put = await hosts.putFile(hold, { name: 'a.txt', offset: 0, bytes }, wait);
    assert.deepEqual(put, { type: 'done', reply: { byteLen: 3 } });
    assert.deepEqual(heard, [{ type: 'put', epoch: 7, name: 'a.txt', offset: 0 }]);
  });

  it('opens a browser', async () => {
    replies.host = { ok: true };
    const setup = { viewport: { width: 8, height: 6 }, state: null, reach: { allow: null, deny: ['bad.test'] } };
    assert.deepEqual(await hosts.open(hold, { ...setup, isPerson: true }, wait), { type: 'done', reply: {} });
    assert.deepEqual(heard, [{ type: 'open', session_id: sessionId, epoch: 7, ...setup, is_person: true }]);
  });

  it('reads the status of a host', async () => {
    const status = { capacity: 2, warm: 1, has_own_users: true, sessions: [] };
    replies.host = { ok: true, status };
    assert.deepEqual(await hosts.status('h1', wait), { type: 'done', reply: { status } });
    assert.deepEqual(heard, [{ type: 'status' }]);
  });

  it('reads the outline of a page', async () => {
    replies.session = { ok: true, type: 'observed', observation, picture: null };
    assert.deepEqual(await hosts.observe(hold, wait), { type: 'done', reply: { observation } });
    assert.deepEqual(heard, [{ type: 'observe', as: 'outline', from: 0, bring: [] }]);
  });

  it('reads a page as one text, with the picture where it is wanted', async () => {
    const view = { ...page, pages: [], dialog: null, text: '# Shop', handles: [], shape_hash: 'abc', next: null };
    replies.session = { ok: true, type: 'viewed', view, picture: null };
    const seen = { type: 'done', reply: { view, picture: null, image: Buffer.from(bytes) } };
    assert.deepEqual(await hosts.see(hold, wait), seen);
    await hosts.see(hold, { ...wait, from: 12, since: 'abc', withPicture: true });
    assert.deepEqual(heard, [
      { type: 'observe', as: 'view', from: 0, bring: [] },
      { type: 'observe', as: 'view', from: 12, since: 'abc', bring: ['picture'] },
    ]);
    replies.session = { ok: true, type: 'observed', observation, picture: null };
    assert.deepEqual(await hosts.see(hold, wait), { type: 'unanswered', reason: 'bad_reply', mayHaveActed: true });
  });

  it('closes a browser, whose state may be lost', async () => {
    replies.host = { ok: true };
    assert.deepEqual(await hosts.close(hold, wait), { type: 'done', reply: { state: undefined } });
    assert.deepEqual(heard, [{ type: 'close', session_id: sessionId, epoch: 7 }]);
  });

  it('returns a refusal as a value, of each kind of command', async () => {
    const refused = { type: 'refused', failure: 'stale_epoch', message: 'too old', hasTouched: false };
    assert.deepEqual(await hosts.take(hold, wait), refused);
    assert.deepEqual(await hosts.close(hold, wait), refused);
    assert.deepEqual(await hosts.putFile(hold, { name: 'a.txt', offset: 0, bytes }, wait), refused);
  });

  it('does not accept a reply to another command', async () => {
    replies.session = { ok: true, type: 'watching' };
    assert.deepEqual(await hosts.take(hold, wait), { type: 'unanswered', reason: 'bad_reply', mayHaveActed: true });
  });

  it('says that no process listens for a host', async () => {
    const nowhere = { ...hold, sessionId: newId() };
    const silent = { type: 'unanswered', reason: 'no_responders', mayHaveActed: false };
    assert.deepEqual(await hosts.look(nowhere, wait), silent);
  });
});
