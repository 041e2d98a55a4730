import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '@pilothouse/contract';
import { newId } from '@pilothouse/store';
import { problemOf, problemType } from './problem.ts';

/**
 * Requests that never become requests: bytes that are not HTTP, headers beyond the limit, a client that stops in the
 * middle. Node would answer these by itself, without a body; here they get the same kind of answer as all others.
 */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  // The client went away, or an answer is under way into which we must not write.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') refuse(socket, 431, tooLarge);
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuse(socket, 408, tooSlow);
  else refuse(socket, 400, notHttp);
}

/** Node keeps the answer in hand on the socket, and asks the same before it answers by itself. */
const isAnswering = (socket: Socket) =>
  (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true;

/** Two more that Node answers alone: tunnels, which we do not dig, and expectations, which we do not meet. */
export function answerOddRequests(server: Server): void {
  server.on('connect', (_request, socket: Duplex) => refuse(socket, 404, new AppError('not_found')));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const body = JSON.stringify(problemOf(notExpected, newId()));
    response
      .writeHead(400, { 'content-type': problemType, 'content-length': Buffer.byteLength(body), connection: 'close' })
      .end(body);
  });
}

const tooLarge = new AppError('payload_too_large', { detail: 'The headers are too large.' });
const tooSlow = new AppError('validation_failed', { detail: 'The request did not arrive in time.' });
const notHttp = new AppError('validation_failed', { detail: 'This is not a request we can read.' });
const notExpected = new AppError('validation_failed', { detail: 'The expectation cannot be met.' });

/** Long enough for the answer to be read, short enough not to keep a stop waiting. */
const lingerMs = 1000;

function refuse(socket: Duplex, status: number, error: AppError): void {
  const body = JSON.stringify({ ...problemOf(error, newId()), status });
  // Read on and forget what still comes, so that the end of it is seen and the connection does not stay half open.
  socket.on('error', () => socket.destroy());
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
