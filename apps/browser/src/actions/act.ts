import type { Step } from '@pilothouse/contract';
import { StepFailure } from '../failure.ts';
import { download, upload } from './files.ts';
import { check, select, type } from './fill.ts';
import { move, navigate, reload } from './go.ts';
import type { Hands } from './hands.ts';
import { closePage, focusPage, newPage } from './tabs.ts';
import { click, drag, hover, press, scroll } from './touch.ts';
import { wait } from './wait.ts';

/** Does the step, or throws why not. */
export async function act(step: Step, hands: Hands): Promise<void> {
  switch (step.action) {
    case 'navigate':
      return navigate(hands, step.url);
    case 'back':
    case 'forward':
      return move(hands, step.action);
    case 'reload':
      return reload(hands);
    case 'click':
      return click(hands, step.target);
    case 'double_click':
      return click(hands, step.target, { count: 2 });
    case 'hover':
      return hover(hands, step.target);
    case 'type':
      return type(hands, step.target, step.text);
    case 'press':
      return press(hands, step.key, step.target);
    case 'select':
      return select(hands, step.target, step.option);
    case 'check':
      return check(hands, step.target, step.checked);
    case 'upload':
      return upload(hands, step.target, step.file);
    case 'scroll':
      return scroll(hands, step);
    case 'drag':
      return drag(hands, step.from, step.to);
    case 'wait':
      return wait(hands, step);
    case 'extract':
      return hands.bring({ data: await hands.eyes.extract(step, hands.deadline) });
    case 'screenshot':
      // The picture comes with the answer.
      return;
    case 'new_page':
      return newPage(hands, step.url);
    case 'close_page':
      return closePage(hands, step.page);
    case 'focus_page':
      return focusPage(hands, step.page);
    case 'answer_dialog':
      return answerDialog(hands, step.accept, step.text);
    case 'download':
      return download(hands, step.target);
    case 'ask':
      throw new StepFailure('unsupported', 'people are asked by agents, not by browsers');
  }
}

async function answerDialog({ page, dialogs, touch }: Hands, accept: boolean, text: string | undefined): Promise<void> {
  const isAnswered = await touch(() => dialogs.answer(page, accept, text));
  if (!isAnswered) throw new StepFailure('not_found', 'the page asks nothing');
}
