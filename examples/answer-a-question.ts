// A task that asks a person, and the program that passes the answer on. Without an answer it would wait in the inbox.
import { createClient, runTask } from '@pilothouse/sdk';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const prompt = `
open ${shopUrl}
ask "Which colour?"
`;

const run = await runTask(
  client,
  { prompt },
  {
    onQuestion(question) {
      console.log(`asked: ${question.text}`);
      return 'the blue one';
    },
  },
);
const { status, result } = await run.finished();
console.log(
  status,
  result?.answers?.map(({ text }) => text),
);
