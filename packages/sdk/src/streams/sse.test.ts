import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSseParser } from './sse.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function parse(...chunks: Uint8Array[]) {
  const parser = createSseParser();
  const messages = chunks.flatMap((chunk) => parser.push(chunk));
  return { messages, lastId: parser.lastId, retryMs: parser.retryMs };
}

describe('the reader of server-sent events', () => {
  const cases: [name: string, wire: string, expected: Partial<ReturnType<typeof parse>>][] = [
    ['a message with its id', 'id: 7\nevent: log\ndata: x\n\n', { messages: ['x'], lastId: '7' }],
    ['several lines of data', 'data: a\ndata:\ndata:b\n\n', { messages: ['a\n\nb'] }],
    ['only the first space is no part of the value', 'data:  a \n\n', { messages: [' a '] }],
    ['CRLF and CR as well as LF', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', { messages: ['a', 'b', 'c'] }],
    ['comments and unknown fields', ': hello\n\nfoo: bar\nfoo\n:\ndata: a\n\n', { messages: ['a'] }],
    ['the time to wait', 'retry: 1500\n\nretry: soon\n\n', { messages: [], retryMs: 1500 }],
    ['a mark before the first byte', '\uFEFFdata: a\n\n', { messages: ['a'] }],
    ['an id that stays', 'id: 1\ndata: a\n\ndata: b\n\n', { messages: ['a', 'b'], lastId: '1' }],
    ['an id without data', 'id: 9\n\n', { messages: [], lastId: '9' }],
    ['an id with NUL is none', 'id: 1\n\nid: 2\0\ndata: a\n\n', { messages: ['a'], lastId: '1' }],
    ['what is cut off is dropped with its id', 'id: 1\ndata: a\n\nid: 2\ndata: b\n', { messages: ['a'], lastId: '1' }],
  ];
  for (const [name, wire, expected] of cases) {
    it(name, () => assert.deepEqual({ ...parse(bytesOf(wire)), ...expected }, parse(bytesOf(wire))));
  }

  it('gives the same for any cut of the bytes', () => {
    const line = fc.oneof(
      fc.constantFrom('', ': beat', 'retry: 250', 'data', 'data: {"text":"ü€😀"}', 'id: ünï', 'event: log'),
      fc.string({ unit: 'binary' }).map((text) => `data: ${text}`),
    );
    const wire = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n')))
      .map((lines) => bytesOf(lines.flat().join('')));
    const cuts = fc.array(fc.nat(400)).map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(wire, cuts, (bytes, places) => {
        const borders = [0, ...places.map((place) => Math.min(place, bytes.length)), bytes.length];
        const chunks = borders.slice(1).map((end, index) => bytes.slice(borders[index], end));
        assert.deepEqual(parse(...chunks), parse(bytes));
        assert.deepEqual(parse(...Array.from(bytes, (byte) => Uint8Array.of(byte))), parse(bytes));
      }),
      { numRuns: 500 },
    );
  });
});
