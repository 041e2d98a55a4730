// Success that is more than one JSON body: one of several statuses, pictures inside JSON, or plain bytes. Large bytes are
// sent piece by piece, and counted before they are read.

import { Readable } from 'node:stream';
import type { ReplyOf, Route } from '@pilothouse/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CountedAnswer, piecemealBytes } from '../delivery/counted-answer.ts';
import { type Bytes, Pictures } from './embedded.ts';

/** Larger bodies are read and sent piece by piece. */
const wholeBytes = 256 * 1024;

/** One of several ways to succeed. */
export class Answer<R extends Route> {
  readonly status: number;
  readonly body: ReplyOf<R>;
  /** Those that the body names. */
  readonly pictures: Pictures;
  readonly headers: Record<string, string>;
  constructor(status: number, body: ReplyOf<R>, pictures = new Pictures(), headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.pictures = pictures;
    this.headers = headers;
  }
}

/** A picture or a file. */
export class BytesAnswer {
  readonly bytes: Bytes;
  readonly contentType: string;
  readonly headers: Record<string, string>;
  constructor(bytes: Bytes, contentType: string, headers: Record<string, string> = {}) {
    this.bytes = bytes;
    this.contentType = contentType;
    this.headers = headers;
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; counted: CountedAnswer };

export async function sendBytes({ bytes, contentType, headers }: BytesAnswer, { request, reply, counted }: Exchange) {
  reply.headers(headers);
  if (isKnown(headers.etag, request.headers['if-none-match'])) return sendStatus(reply, 304, undefined);
  reply.type(contentType);
  return sendStatus(reply, 200, await bodyOf(bytes, reply, counted));
}

export const sendAnswer = <R extends Route>(answer: Answer<R>, { reply, counted }: Omit<Exchange, 'request'>) =>
  sendStatus(reply.headers(answer.headers), answer.status, jsonOf(answer, reply, counted));

/** The statuses of a route are data here, so no type can hold them. */
export const sendStatus = (reply: FastifyReply, status: number, body: unknown) => reply.code(status).send(body);

/** Small bytes at once, others as the peer reads them. */
async function bodyOf({ byteLength, read }: Bytes, reply: FastifyReply, counted: CountedAnswer) {
  counted.hold(Math.min(byteLength, piecemealBytes));
  if (byteLength > wholeBytes) {
    reply.header('content-length', byteLength);
    return Readable.from(read(), { objectMode: false });
  }
  const pieces = await Array.fromAsync(read());
  counted.release(byteLength);
  return Buffer.concat(pieces);
}

/** A reply without pictures is handed to Fastify whole; one with pictures is made in pieces, as fast as the client reads. */
function jsonOf<R extends Route>({ status, body, pictures }: Answer<R>, reply: FastifyReply, counted: CountedAnswer) {
  if (pictures.size === 0) return body;
  // Every reply is an object; their union does not say so.
  const json = String(
    reply.serializeInput(body as object as Record<string, unknown>, String(status), 'application/json'),
  );
  const whole = pictures.into(json);
  counted.hold(Math.min(whole.byteLength, piecemealBytes) + pictures.heldBytes);
  reply.type('application/json; charset=utf-8').header('content-length', whole.byteLength);
  return whole.body;
}

/** Whether the caller has these bytes already (RFC 9110, 13.1.2). */
function isKnown(etag: string | undefined, ifNoneMatch: string | undefined): boolean {
  if (etag === undefined || ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag);
}
