// cancel, take, return, share, cdp.

import { CommandFailure } from '../connection/failure.ts';
import { plain } from '../output/terminal.ts';
import { clockTime } from '../output/words.ts';
import { connectionOf, flag, number, type Run, show, text } from './context.ts';
import { findEither, findSession, findTask } from './find.ts';
import { openPage, sessionPage } from './open-page.ts';

export const cancel: Run = async (context) => {
  const { client } = connectionOf(context);
  const id = await findTask(client, context.args[0]);
  const { status } = await client.cancelTask({ id, reason: text(context.values, 'reason') });
  show(context, status, () => [`The task is ${status.status}.`]);
  return 'done';
};

export const take: Run = async (context) => {
  const { values } = context;
  // An interruption takes no words and no time of its own: better refused than forgotten.
  if (flag(values, 'now') && (text(values, 'reason') ?? text(values, 'secs')) !== undefined)
    throw new CommandFailure('--now goes without --reason and --secs', {
      exit: 'usage',
      hint: 'Without --now the agent ends its step first.',
    });
  const { client, url } = connectionOf(context);
  const { task, session_id } = await findEither(client, context.args[0]);
  const wanted = { reason: text(values, 'reason'), expires_in_secs: number(values, 'secs') };
  const isOpen = task && !task.finished_at;
  const { takeover } = !isOpen
    ? await client.requestSessionTakeover({ id: session_id, ...wanted })
    : flag(values, 'now')
      ? await client.signalTakeover({ id: task.task_id })
      : await client.requestTakeover({ id: task.task_id, ...wanted });
  if (!takeover) throw new CommandFailure('the task has ended meanwhile', { hint: 'Take its session over.' });
  const page = sessionPage(url, session_id, task?.task_id);
  show(context, { takeover, page }, () => [
    takeover.status === 'active' ? 'You drive.' : 'Asked for. The agent ends its step first; then you drive.',
    `Drive at     ${page}`,
    `Until        ${clockTime(takeover.expires_at)}, longer with each input`,
    `Hand back    pilothouse return ${plain(task?.task_id ?? session_id)}`,
  ]);
  if (flag(values, 'open')) await openPage(context, page);
  return 'done';
};

export const handBack: Run = async (context) => {
  const { client } = connectionOf(context);
  const { task, session_id } = await findEither(client, context.args[0]);
  const note = text(context.values, 'note');
  const { takeover } =
    task && !task.finished_at
      ? await client.resumeTakeover({ id: task.task_id, note })
      : await client.resumeSessionTakeover({ id: session_id, note });
  show(context, { takeover }, () => [`Handed back: ${takeover.status}.`]);
  return 'done';
};

export const share: Run = async (context) => {
  const { client, url } = connectionOf(context);
  const id = await findSession(client, context.args[0]);
  if (flag(context.values, 'revoke')) {
    await client.unshareSession({ id });
    show(context, { revoked: true }, () => ['The share is ended.']);
    return 'done';
  }
  const { share: made } = await client.shareSession({ id, expires_in_secs: number(context.values, 'secs') });
  const link = new URL(made.share_page_path ?? made.share_path, url).href;
  show(context, { ...made, link }, () => [
    link,
    `Valid until ${clockTime(made.expires_at)}. Everyone who has it can watch.`,
  ]);
  return 'done';
};

export const cdp: Run = async (context) => {
  const { client, url } = connectionOf(context);
  const { args, values } = context;
  const id = args[0] === undefined ? (await client.createSession()).session.id : await findSession(client, args[0]);
  const { cdp: opened } = await client.openProgramAccess({
    id,
    while_driven: flag(values, 'wait') ? 'wait' : 'fail',
    steps_by: flag(values, 'script') ? 'person' : 'program',
  });
  const page = sessionPage(url, id);
  show(context, { ...opened, session_id: id, page }, () => [
    opened.ws_url,
    `Opens one connection until ${clockTime(opened.expires_at)}. Watch at ${page}`,
  ]);
  if (flag(values, 'open')) await openPage(context, page);
  return 'done';
};
