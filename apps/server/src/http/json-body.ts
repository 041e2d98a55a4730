import type { FastifyInstance } from 'fastify';

/**
 * JSON is the only body there is. An empty one counts as none, because commands without a body are commonly sent with
 * the content type of one.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}
