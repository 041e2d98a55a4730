// Acts of programs in the words of steps, as tasks and evidence show them. What was typed into a field for secrets is not known here.

import type { ProgramAct } from '@pilothouse/bus';
import { Step, type Target } from '@pilothouse/contract';
import { newId, type ProgramLine, storableText, withoutCredentials } from '@pilothouse/store';

type Element = ProgramAct['element'];

/** In place of what must not be stored. It does not show the length. */
const struck = '••••••';
const maxTitleChars = 200;
const maxNameChars = 200;
const maxShownName = 80;

const statuses = { done: 'success', refused: 'failed', failed: 'failed', unanswered: 'interrupted' } as const;

/** `waitedMs`: since the report came. */
export function lineOf(act: ProgramAct, waitedMs: number): ProgramLine {
  const { outcome, error, ago_ms, run_ms, element, point } = act;
  return {
    id: newId(),
    step: stepOf(act),
    status: statuses[outcome],
    error: outcome === 'done' ? null : storableText(error ?? 'It was not done.'),
    agoMs: ago_ms + waitedMs,
    runMs: run_ms,
    bbox: element?.box ?? null,
    point: point ?? null,
  };
}

/** The fallback has a title only: words of a page may be what no step allows, such as the name of a secret. */
function stepOf(act: ProgramAct): Step {
  const title = storableText(titleOfAct(act)).slice(0, maxTitleChars).toWellFormed();
  const step = Step.safeParse({ ...draftOf(act), title });
  return step.success ? step.data : namelessStep('An act that cannot be described');
}

/** A line that no action describes. `wait` is the one action that claims nothing of the page; the title says what it is. */
export const namelessStep = (title: string): Step => ({ action: 'wait', for: { secs: 0 }, title });

function draftOf(act: ProgramAct): object {
  const { kind, element, to, point, url = '', text, key = '', delta, accept } = act;
  switch (kind) {
    case 'navigate':
      return { action: 'navigate', url: openable(url) };
    case 'new_page':
      return { action: 'new_page', ...(url !== '' && { url: openable(url) }) };
    case 'reload':
    case 'close_page':
      return { action: kind };
    case 'history':
      return { action: 'back' };
    case 'click':
    case 'double_click':
      return { action: kind, target: targetOf(element, point) };
    case 'drag':
      return { action: 'drag', from: targetOf(element, point), to: targetOf(to, undefined) };
    case 'scroll':
      return { action: 'scroll', delta_x: Math.round(delta?.x ?? 0), delta_y: Math.round(delta?.y ?? 0) };
    case 'type':
      return { action: 'type', target: targetOf(element, undefined), text: storableText(text ?? struck) };
    case 'press':
      return { action: 'press', key: storableText(key) };
    case 'answer_dialog':
      return { action: 'answer_dialog', accept: accept === true };
    case 'several':
      return namelessStep('');
  }
}

/** As people say it. Never has what was typed. */
function titleOfAct(act: ProgramAct): string {
  const { kind, count, url = '', key, accept } = act;
  const times = count > 1 && kind !== 'several' && kind !== 'scroll' ? ` (${count} times)` : '';
  const simple = {
    navigate: () => `Open ${withoutCredentials(url)}`,
    new_page: () => 'Open a page',
    reload: () => 'Load again',
    close_page: () => 'Close a page',
    history: () => 'Go back or forward in the history',
    click: () => `${clickWords[act.button ?? 'left']} ${nameOf(act.element, act.point)}`,
    double_click: () => `Double click ${nameOf(act.element, act.point)}`,
    drag: () => `Drag ${nameOf(act.element, act.point)} to ${nameOf(act.to, undefined)}`,
    scroll: () => 'Scroll',
    type: () => typeTitle(act),
    press: () => `Press ${key ?? 'a key'}`,
    answer_dialog: () => (accept ? 'Accept the dialog' : 'Dismiss the dialog'),
    several: () => `${count} acts, faster than they are told one by one`,
  } satisfies Record<ProgramAct['kind'], () => string>;
  return `${simple[kind]()}${times}`;
}

const clickWords = { left: 'Click', middle: 'Middle click', right: 'Right click', other: 'Click' };

function typeTitle({ element, text, chars }: ProgramAct): string {
  const what = text === undefined && chars !== undefined ? `Type ${chars} characters` : 'Type';
  return element ? `${what} into ${nameOf(element, undefined)}` : what;
}

function nameOf(element: Element, point: ProgramAct['point']): string {
  const name = element?.name.trim().slice(0, maxShownName);
  const words = [element?.role, name && `"${name}"`].filter(Boolean).join(' ');
  return words || (point ? `at ${Math.round(point.x)}, ${Math.round(point.y)}` : 'something');
}

function targetOf(element: Element, point: ProgramAct['point']): Target {
  const name = element && storableText(element.name).slice(0, maxNameChars).trim();
  if (element && name) return element.role === '' ? { name } : { role: storableText(element.role), name };
  if (element?.role) return storableText(element.role);
  return point ? `${Math.round(point.x)}, ${Math.round(point.y)}` : 'what has the focus';
}

/** A program may open what no step may, such as a blob: then only the title has it. A user name and a password in an address are not stored. */
function openable(url: string): string {
  const isAddress = ['http:', 'https:', 'data:'].includes(URL.parse(url)?.protocol ?? '');
  return isAddress ? storableText(withoutCredentials(url)) : 'about:blank';
}
