// Gives a file to a page, and keeps one that a page gives.
import { createClient, giveFile, readTaskFile, runTask } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const prompt = `
open ${shopUrl}prices
upload shopping.txt to "Shopping list"
extract text css "output" as read
download "Price list"
`;

const run = await runTask(client, { prompt, files: [giveFile('shopping.txt', 'a lantern\na rope\n')] });
const { status, result } = await run.finished();
console.log(status, result?.data);
for (const { file_id, name } of result?.files ?? []) {
  const bytes = await readTaskFile(client, { id: run.taskId, file_id });
  console.log(name, new TextDecoder().decode(bytes).split('\n').slice(0, 2));
}
