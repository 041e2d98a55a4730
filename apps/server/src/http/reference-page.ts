// The page at /docs to read and try the routes. It loads nothing from other hosts. It is made when it is first asked for: it is 4 MB
// of script, and its modules would be a sixth of what a server loads at its start.
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';

type Page = { statusCode: number; type: string | undefined; location: string | undefined; body: Buffer };

const folder = '/docs';
const paths = [folder, `${folder}/`, `${folder}/js/scalar.js`];
const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'";

const configuration = {
  url: '/api/openapi.json',
  withDefaultFonts: false,
  defaultOpenAllTags: true,
  // Both lead to other hosts.
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
} as const;

export function serveReferencePage(app: FastifyInstance): void {
  let pages: Promise<Map<string, Page>> | undefined;
  const send = async (path: string, reply: FastifyReply) => {
    pages ??= makePages().catch((error) => {
      // The next request tries it again.
      pages = undefined;
      throw error;
    });
    const page = (await pages).get(path);
    if (!page) throw new Error(`no page was made for ${path}`);
    reply.code(page.statusCode).header('content-security-policy', contentSecurityPolicy);
    if (page.type) reply.type(page.type);
    if (page.location) reply.header('location', page.location);
    return reply.send(page.body);
  };
  for (const path of paths) app.get(path, { schema: { hide: true } }, (_request, reply) => send(path, reply));
}

/** What the plugin answers, taken from an application of its own: no route can be added to one that serves already. */
async function makePages(): Promise<Map<string, Page>> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  try {
    await app.register(scalar, { routePrefix: folder, configuration });
    const pages = new Map<string, Page>();
    for (const path of paths) {
      const { statusCode, headers, rawPayload } = await app.inject({ method: 'GET', url: path });
      pages.set(path, { statusCode, type: headers['content-type'], location: headers.location, body: rawPayload });
    }
    return pages;
  } finally {
    await app.close();
  }
}
