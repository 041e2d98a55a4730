// Does one step: each action of the contract, and the function that does it.

import type { TypedSecret } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { StepFailure } from '../common/failure.ts';
import type { ActionTools } from './action-tools.ts';
import { select } from './choose.ts';
import { download, upload } from './files.ts';
import { check, type } from './fill.ts';
import { move, navigate, reload } from './navigate.ts';
import { click, drag, hover, scroll } from './pointer.ts';
import { press } from './press.ts';
import { closeTab, focusPage, newPage } from './tabs.ts';
import { secretFor, typeSecret } from './type-secret.ts';
import { wait } from './wait.ts';

/** Does the step, or throws why not. */
export async function act(step: Step, tools: ActionTools, secret?: TypedSecret): Promise<void> {
  switch (step.action) {
    case 'navigate':
      return navigate(tools, step.url);
    case 'back':
    case 'forward':
      return move(tools, step.action);
    case 'reload':
      return reload(tools);
    case 'click':
      return click(tools, step.target);
    case 'double_click':
      return click(tools, step.target, { count: 2 });
    case 'hover':
      return hover(tools, step.target);
    case 'type':
      return typeText(tools, step, secret);
    case 'press':
      return press(tools, step.key, step.target);
    case 'select':
      return select(tools, step.target, step.option);
    case 'check':
      return check(tools, step.target, step.checked);
    case 'upload':
      return upload(tools, step.target, step.file);
    case 'scroll':
      return scroll(tools, step);
    case 'drag':
      return drag(tools, step.from, step.to);
    case 'wait':
      return wait(tools, step);
    case 'extract':
      return tools.bring({ data: await tools.eyes.extract(step, tools.deadline) });
    case 'screenshot':
      // The picture comes with the reply.
      return;
    case 'new_page':
      return newPage(tools, step.url);
    case 'close_page':
      return closeTab(tools, step.page);
    case 'focus_page':
      return focusPage(tools, step.page);
    case 'answer_dialog':
      return answerDialog(tools, step.accept, step.text);
    case 'download':
      return download(tools, step.target);
    case 'ask':
      throw new StepFailure('unsupported', 'people are asked by agents, not by browsers');
  }
}

function typeText(tools: ActionTools, step: Extract<Step, { action: 'type' }>, given?: TypedSecret): Promise<void> {
  const secret = secretFor(step.text, given);
  return secret ? typeSecret(tools, step.target, secret) : type(tools, step.target, step.text);
}

async function answerDialog(
  { page, dialogs, touch }: ActionTools,
  accept: boolean,
  text: string | undefined,
): Promise<void> {
  const isAnswered = await touch(() => dialogs.answer(page, accept, text));
  if (!isAnswered) throw new StepFailure('not_found', 'the page asks nothing');
}
