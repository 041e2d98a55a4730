// run: starts a task, shows it until it ends, and passes questions to the person. Ctrl-C asks before it cancels.

import type { Question, TaskStatus } from '@pilothouse/contract';
import { answerQuestion, type Client, isApiError, runTask, type TaskRun, type TaskUpdate } from '@pilothouse/sdk';
import type { ExitName } from '../connection/exit-codes.ts';
import { Interrupted } from '../output/ask.ts';
import { createTaskView, type TaskView } from '../output/task-view.ts';
import { jsonLine, type Terminal } from '../output/terminal.ts';
import { type Context, connectionOf, flag, type Run, show, text } from './context.ts';
import { openPage, sessionPage } from './open-page.ts';
import { askPerson, questionLines } from './question.ts';
import { chatOf } from './run-chat.ts';

type Started = Awaited<ReturnType<typeof runTask>>;
/** Why the watching ended before the task. */
type Left = 'cancelled' | 'detached' | 'needs_person';

const costEveryMs = 3000;

export const run: Run = async (context) => {
  const { values, terminal } = context;
  const { client, url } = connectionOf(context);
  const chat = await chatOf(context);
  const leaving = new AbortController();
  const idempotencyKey = text(values, 'idempotency-key');
  const started = await runTask(client, chat, { idempotencyKey, signal: leaving.signal });
  // A session that is new shows its only task by itself.
  const page = sessionPage(url, started.sessionId, chat.session_id && started.taskId);
  if (flag(values, 'open')) await openPage(context, page);
  if (flag(values, 'detach')) {
    const ids = { task_id: started.taskId, session_id: started.sessionId, page };
    show(context, ids, () => [`Task     ${started.taskId}`, `Session  ${started.sessionId}`, `Watch    ${page}`]);
    return 'done';
  }
  if (flag(values, 'json'))
    terminal.print(jsonLine({ type: 'started', task_id: started.taskId, session_id: started.sessionId, page }));
  else terminal.print(`${terminal.paint('bold', 'Watch')} ${page}\n`);
  return watch(context, { client, started, leaving });
};

async function watch(
  context: Context,
  { client, started, leaving }: { client: Client; started: Started; leaving: AbortController },
) {
  const { terminal, values } = context;
  const isJson = flag(values, 'json');
  const view = isJson ? undefined : createTaskView(terminal);
  const prompts = createPrompts(context, { client, started, view, leaving });
  const cost =
    view && terminal.isTerminal ? setInterval(() => void readCost(client, started, view), costEveryMs) : undefined;
  try {
    for await (const update of started) {
      if (isJson) terminal.print(jsonLine(update));
      view?.take(update);
      prompts.take(update);
    }
    const status = await started.finished();
    if (isJson) terminal.print(jsonLine({ type: 'finished', status }));
    view?.finish(status);
    return prompts.isCancelling() ? 'interrupted' : exitOf(status);
  } catch (error) {
    const { reason } = leaving.signal;
    if (!leaving.signal.aborted || reason instanceof Error) throw error;
    return leave(context, started, reason as Left);
  } finally {
    clearInterval(cost);
    prompts.close();
    view?.close();
  }
}

const exits: Partial<Record<TaskStatus['status'], ExitName>> = { success: 'done', cancelled: 'cancelled' };
const exitOf = ({ status }: TaskStatus): ExitName => exits[status] ?? 'failed';

/** The task goes on. */
function leave({ terminal, values }: Context, { taskId }: TaskRun, left: Left): ExitName {
  if (!flag(values, 'json'))
    terminal.print(
      left === 'needs_person'
        ? `The task waits for a person: pilothouse answer ${taskId}`
        : `The task goes on: pilothouse logs ${taskId} -f`,
    );
  return left === 'needs_person' ? 'needsPerson' : 'interrupted';
}

/** What it has cost is not in its events. A read that fails is made again. */
async function readCost(client: Client, { taskId }: TaskRun, view: TaskView): Promise<void> {
  const read = await client.getTaskStatus({ id: taskId }).catch(() => undefined);
  if (read) view.setCost(read.status.cost.cost_micros);
}

/** Where nobody can be asked: the question, and the command that answers it. */
const waitingLines = (terminal: Terminal, question: Question, { taskId }: TaskRun): string[] => [
  ...questionLines(terminal, question),
  `    pilothouse ${question.kind === 'approval' ? 'approve' : 'answer'} ${taskId}`,
];

type Prompting = { client: Client; started: Started; view: TaskView | undefined; leaving: AbortController };

/** One question stands on the terminal at a time: of the task, or whether to cancel it. */
function createPrompts(context: Context, { client, started, view, leaving }: Prompting) {
  const { ask, terminal, values } = context;
  const isJson = flag(values, 'json');
  let standing: AbortController | undefined;
  let open: Question | undefined;
  let isCancelling = false;

  const cancel = () => {
    isCancelling = true;
    if (!isJson) terminal.print('  Cancelling …');
    // The stream tells the end. A cancel that fails leaves the task as it is, and the person sees why.
    started.cancel('cancelled from the command line').catch((error) => leaving.abort(error));
  };
  const interrupt = async () => {
    if (isCancelling || !ask.canAsk || isJson) return isCancelling ? leaving.abort('detached') : cancel();
    standing?.abort();
    const said = await withPrompt((signal) => ask.line('\n  Cancel the task? [y]es, [n]o, [d]etach: ', signal)).catch(
      orCancel,
    );
    if (said === undefined) return undefined;
    if (/^y/i.test(said)) return cancel();
    if (/^d/i.test(said)) return leaving.abort('detached');
    if (open) void answer(open);
    return undefined;
  };
  /** A second Ctrl-C is a yes. */
  const orCancel = (error: unknown) => {
    if (!(error instanceof Interrupted)) return undefined;
    cancel();
    return undefined;
  };

  async function withPrompt<T>(prompt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    standing = own;
    view?.pause();
    try {
      return await prompt(own.signal);
    } finally {
      if (standing === own) standing = undefined;
      view?.goOn();
    }
  }

  async function answer(question: Question): Promise<void> {
    try {
      const said = await withPrompt((signal) => askPerson({ terminal, ask }, question, signal));
      await answerQuestion(client, { id: started.taskId, question, answer: said });
    } catch (error) {
      if (error instanceof Interrupted) return interrupt();
      if (isApiError(error, 'invalid_answer')) {
        terminal.warn(`  ${error.message}`);
        return answer(question);
      }
      // Answered elsewhere, or another question stands on the terminal; anything else ends the command.
      const isOver = isApiError(error, 'conflict') || (error instanceof Error && error.name === 'AbortError');
      if (!isOver) leaving.abort(error);
    }
  }

  const release = context.onInterrupt(() => void interrupt());
  return {
    take(update: TaskUpdate) {
      if (update.type !== 'question') return;
      if (!update.question) standing?.abort();
      open = update.question ?? undefined;
      if (!open) return;
      if (flag(values, 'exit-on-question')) leaving.abort('needs_person');
      else if (ask.canAsk && !isJson) void answer(open);
      else if (!isJson) for (const line of waitingLines(terminal, open, started)) terminal.print(line);
    },
    isCancelling: () => isCancelling,
    close() {
      standing?.abort();
      release();
    },
  };
}
