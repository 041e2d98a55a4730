// A request as the text that is sent, one character a byte, so that a failure can be read.

export const crlf = '\r\n';

type RequestParts = { method: string; path: string; query: string; extra: string; contentType: string; body: string };

/** What names the length comes last: a header that ends the headers early then leaves no body to wait for. */
export function requestText({ method, path, query, extra, contentType, body }: RequestParts): string {
  return (
    `${method} ${path}${query} HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Connection: close${crlf}${extra}` +
    `Content-Type: ${contentType}${crlf}Content-Length: ${body.length}${crlf}${crlf}${body}`
  );
}

/** One character a byte. */
export const latin1 = (bytes: Buffer) => bytes.toString('latin1');
