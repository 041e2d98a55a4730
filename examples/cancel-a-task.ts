// Ends a task that takes too long.
import { createClient, runTask } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const run = await runTask(client, { prompt: `open ${shopUrl}\nwait 600 s` });
for await (const update of run) {
  if (update.type === 'step' && update.step.action === 'wait') await run.cancel('waited long enough');
}
const { status, last_error } = await run.finished();
console.log(status, last_error);
