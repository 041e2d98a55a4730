import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProgramPiece } from './program.ts';
import type { ProgramReport } from './program-acts.ts';
import { createProgramLink, type ProgramLink } from './program-link.ts';

/** Two ends, each of which gets what the other sends. */
function join({ turns = false } = {}) {
  const heard = {
    texts: [] as string[],
    reports: [] as ProgramReport[],
    leaves: 0,
    ends: [] as string[],
    pings: [] as Uint8Array[],
  };
  const pieces: ProgramPiece[] = [];
  const host: ProgramLink = createProgramLink({
    publish(piece) {
      pieces.push(piece);
      server.take(piece);
      return true;
    },
    onMessage: () => {},
    onLeave: () => {
      heard.leaves += 1;
    },
    onEnd: () => {},
    maxMessageBytes: 100,
    turns,
  });
  const server: ProgramLink = createProgramLink({
    publish(piece) {
      host.take(piece);
      return true;
    },
    onMessage: (text) => heard.texts.push(text),
    onReport: (report) => heard.reports.push(report),
    onPing: (ping) => heard.pings.push(ping),
    onEnd: (reason) => heard.ends.push(reason),
    maxMessageBytes: 100,
  });
  return { host, server, heard, pieces };
}
const report: ProgramReport = {
  epoch: 3,
  acts: [{ kind: 'click', outcome: 'done', error: null, ago_ms: 1, run_ms: 2, count: 1, point: { x: 1, y: 2 } }],
};

describe('the connection of a program between server and host', () => {
  it('carries messages and reports in the order in which they were sent', () => {
    const { host, heard } = join();
    host.send('one');
    host.report(report);
    host.send('two');
    assert.deepEqual([heard.texts, heard.reports, heard.ends], [['one', 'two'], [report], []]);
    host.end('over');
    host.report(report);
    assert.deepEqual([heard.reports.length, heard.ends], [1, ['over']]);
  });

  it('asks the host to tell what is left before it ends', () => {
    const { host, server, heard } = join();
    server.leave();
    assert.deepEqual([heard.leaves, heard.ends], [1, []]);
    host.report(report);
    host.end('the program left');
    assert.deepEqual([heard.reports.length, heard.ends], [1, ['the program left']]);
  });

  it('carries what is said in one turn in one piece, and all else in its order', async () => {
    const { host, heard, pieces } = join({ turns: true });
    host.send('one');
    host.send('two');
    assert.deepEqual(heard.texts, []);
    await Promise.resolve();
    assert.deepEqual(heard.texts, ['one', 'two']);
    host.send('three');
    host.report(report);
    host.send('four');
    host.send('five');
    host.end('over');
    assert.deepEqual([heard.texts.slice(2), heard.ends], [['three', 'four', 'five'], ['over']]);
    assert.deepEqual(
      pieces.map(({ kind }) => kind),
      ['several', 'last', 'acts', 'several', 'end'],
    );
  });

  it('says when the program has heard what was said until then, or is gone', async () => {
    const { host, server, heard } = join();
    server.pong(Buffer.from('1'));
    assert.deepEqual(heard.ends, [], 'a host that asked nothing may not know it');
    const over: string[] = [];
    const note = (name: string) => () => void over.push(name);
    const trips = ['first', 'second', 'third'].map((name) => host.roundTrip().then(note(name)));
    const [, second] = heard.pings;
    assert.ok(second);
    await Promise.resolve();
    assert.deepEqual(over, []);
    server.pong(Buffer.from('what nobody asked'));
    server.pong(second);
    await Promise.all(trips.slice(0, 2));
    assert.deepEqual(over, ['first', 'second']);
    host.end('over');
    await trips[2];
    await host.roundTrip();
  });

  it('ends where a report is missing, or cannot be read', () => {
    const lossy = join();
    lossy.host.report(report);
    const [piece] = lossy.pieces;
    assert.ok(piece);
    lossy.server.take({ ...piece, seq: 7 });
    assert.deepEqual(lossy.heard.ends, ['a message was lost on the way']);
    const broken = join();
    broken.server.take({ kind: 'acts', seq: 0, bytes: Buffer.from('{"epoch":1,"acts":[]}') });
    assert.match(broken.heard.ends.join(), /cannot be read/);
    assert.deepEqual(broken.heard.reports, []);
  });

  it('ends where a message is larger than it may be', () => {
    const { host, heard } = join();
    host.send('x'.repeat(101));
    assert.deepEqual([heard.texts, heard.ends], [[], ['a message is too large']]);
  });
});
