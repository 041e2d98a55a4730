// answer and approve.

import type { Question } from '@pilothouse/contract';
import { answerQuestion, type Client } from '@pilothouse/sdk';
import { CommandFailure } from '../connection/failure.ts';
import { type Context, connectionOf, flag, type Run, show } from './context.ts';
import { findTask } from './find.ts';
import { askPerson, questionLines, readAnswer } from './question.ts';

export const answer: Run = async (context) => {
  const { client } = connectionOf(context);
  const id = await findTask(client, context.args[0]);
  const question = await openQuestion(client, id);
  // A yes to an act is given where the act is shown.
  if (question.kind === 'approval')
    throw new CommandFailure('the task waits for a yes to an act', {
      hint: `See it with \`pilothouse approve ${id}\`.`,
    });
  const given = context.args[1];
  return send(context, client, {
    id,
    question,
    answer: given ? readAnswer(question, given) : await askPerson(context, question),
  });
};

export const approve: Run = async (context) => {
  const { values, terminal } = context;
  const { client } = connectionOf(context);
  const id = await findTask(client, context.args[0]);
  const question = await openQuestion(client, id);
  if (question.kind !== 'approval')
    throw new CommandFailure('the task does not wait for a yes to an act', {
      hint: `Answer with \`pilothouse answer ${id}\`.`,
    });
  const chosen = (['no', 'kind', 'yes'] as const).filter((name) => flag(values, name));
  if (chosen.length > 1) throw new CommandFailure('choose one of --yes, --kind and --no', { exit: 'usage' });
  const [first] = chosen;
  if (first && !flag(values, 'json')) for (const line of questionLines(terminal, question)) terminal.print(line);
  const said = first === undefined ? await askPerson(context, question) : first === 'yes' ? 'once' : first;
  return send(context, client, { id, question, answer: said });
};

async function openQuestion(client: Client, id: string): Promise<Question> {
  const { status } = await client.getTaskStatus({ id });
  if (!status.question) throw new CommandFailure(`the task asks nothing: it is ${status.status}`);
  return status.question;
}

async function send(context: Context, client: Client, input: Parameters<typeof answerQuestion>[1]): Promise<'done'> {
  const status = await answerQuestion(client, input);
  show(context, status, () => [`Answered. The task is ${status.status}.`]);
  return 'done';
}
