// Answers requests that the HTTP parser refuses, in the form of all error responses.

import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '@pilothouse/contract';
import { newId } from '@pilothouse/store';
import { standardHeaders } from '../delivery/standard-headers.ts';
import { problemOf, problemType } from './problem.ts';

/** Bytes that are not HTTP, headers over the limit, a client that stops in the middle. Node would answer without a body. */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  // The client is gone, or an answer is being written, which must not be mixed with another.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') refuse(socket, 431, tooLarge);
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuse(socket, 408, tooSlow);
  else refuse(socket, 400, notHttp);
}

/** Node keeps the present answer on the socket, and checks the same before it answers by itself. */
const isAnswering = (socket: Socket) =>
  (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true;

/** Node answers two more by itself: CONNECT, and an Expect header other than 100-continue. */
export function answerOddRequests(server: Server): void {
  server.on('connect', (_request, socket: Duplex) => refuse(socket, 404, new AppError('not_found')));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const body = JSON.stringify(problemOf(notExpected, newId()));
    response
      .writeHead(400, {
        ...standardHeaders,
        'content-type': problemType,
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      })
      .end(body);
  });
}

const tooLarge = new AppError('payload_too_large', { detail: 'The headers are too large.' });
const tooSlow = new AppError('validation_failed', { detail: 'The request did not arrive in time.' });
const notHttp = new AppError('validation_failed', { detail: 'This is not a request we can read.' });
const notExpected = new AppError('validation_failed', { detail: 'The expectation cannot be met.' });

/** Long enough to read the answer, short enough not to delay a stop. */
const lingerMs = 1000;

export function refuse(socket: Duplex, status: number, error: AppError): void {
  const body = JSON.stringify({ ...problemOf(error, newId()), status });
  // Read and drop what still comes, so that its end is seen and the connection does not stay half open.
  socket.on('error', () => socket.destroy());
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...Object.entries(standardHeaders).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  );
}
