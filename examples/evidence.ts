// Reads what is recorded of a task, line by line. To verify it, keep the bytes and use `pilothouse verify`.
import { createClient, readEvidence, runTask } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const run = await runTask(client, { prompt: `open ${shopUrl}\nclick "Find"` });
await run.finished();
for await (const line of readEvidence(client, { id: run.taskId })) {
  if ('kind' in line && line.kind === 'act') console.log(line.body.title, line.body.status);
  if ('signature' in line) console.log(`signed, ${line.count} records`);
}
