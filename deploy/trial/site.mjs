// A shop for the trial's browsers, in a container beside them: a search that answers with what was asked for.
import { createServer } from 'node:http';

const page = (query) => `<!doctype html><title>Harbour Supplies</title><h1>Harbour Supplies</h1>
<form><label>Search <input name="q" value=""></label><button>Find</button></form>
${query ? `<h2>Found ${query.replace(/[^\w ]/g, '')}</h2>` : ''}`;

createServer((request, response) => {
  const query = new URL(request.url ?? '/', 'http://shop').searchParams.get('q') ?? '';
  response.setHeader('content-type', 'text/html; charset=utf-8').end(page(query));
}).listen(80, '0.0.0.0');
process.on('SIGTERM', () => process.exit(0));
