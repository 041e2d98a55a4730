// Runs a script in a browser, prints each step as it is done, and then what was found.
import { createClient, runTask } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const prompt = `
open ${shopUrl}
type "lantern" into "Search"
click "Find"
extract text css "h2" as found
`;

const run = await runTask(client, { prompt });
console.log(`watch it at ${url}/sessions/${run.sessionId}`);
for await (const update of run) {
  if (update.type === 'step' && update.step.status !== 'running') console.log(update.step.title, update.step.status);
}
const { status, result, cost } = await run.finished();
console.log(`${status} after ${cost.steps} steps:`, result?.data);
