// A mind that follows a plan: finds handles by role and name in the view it is sent, so that the view is tested too. One
// intent a decision; how far it is, it counts from the results in the history, so it remembers nothing itself.
import type { Mind, MindAnswer, MindCall, MindRequest } from './mind.ts';
import { findHandles, readPage, type SeenHandle, type SeenPage } from './view-text.ts';

export type Intent = Deed & {
  /** What the page has to show before. */
  when?: string;
};
type Deed =
  | { open: string }
  /** `in`: a word of the row, the card, the heading or the dialog that it is in. */
  | { click: string; role?: string; in?: string; irreversible?: boolean }
  /** Another tool that needs a handle: hover, download, upload. `input` is what it needs besides. */
  | { use: string; on: string; role?: string; in?: string; input?: object }
  /** From one element to another. */
  | { drag: string; to: string }
  /** Brings the tab to the front that has this word in its title or address, or closes it. */
  | { tab: string; close?: boolean }
  /** Labels with what is to be written, chosen or checked there. */
  | { fill: Record<string, string | boolean>; in?: string; thenPress?: string }
  /** An option of a list, or of what a field suggests. */
  | { choose: string; from: string; in?: string }
  | { press: string }
  | { accept: boolean; text?: string }
  /** Any other tool, as it is. */
  | { call: { name: string; input: unknown } }
  /** A function reads the page; undefined: the page does not show it yet. */
  | { finish: unknown | ((page: SeenPage) => unknown); summary?: string }
  /** It cannot be done, for this reason. */
  | { giveUp: string };

/** Calls that look for a handle, and bring no intent further. */
const searching = new Set(['wait', 'scroll', 'look']);
const maxSearches = 6;
const maxTries = 3;
export const isDone = (result: string) => /^(done|Read as|The file|A person answered|Noted|Shown)/.test(result);
/** In the goal of an answer that was not the teacher's own: what it did brings no intent further. */
export const mistake = 'by mistake';
const clickable = ['link', 'button', 'clickable', 'tab', 'menuitem', 'option', 'checkbox', 'radio', 'switch'];
const choosers = ['combobox', 'select', 'list', 'field', 'search'];
const boxes = ['checkbox', 'radio', 'switch'];

export const teacher =
  (plan: readonly Intent[]): Mind =>
  (request) => {
    const { done, searches, failures } = progressOf(request);
    const intent = plan[done];
    if (!intent) return finish('impossible', 'The plan has no further intent.');
    if (failures >= maxTries) return finish('impossible', `${wordsOf(intent)} failed ${failures} times.`);
    const page = readPage(request.lastUserText);
    const isSoon = intent.when !== undefined && !page.text.includes(intent.when);
    const call = isSoon ? undefined : callFor(intent, page);
    if (call) return { text: `check: ${done} done\ngoal: ${wordsOf(intent)}`, calls: [call] };
    if (searches >= maxSearches) return finish('impossible', `${wordsOf(intent)}: it is not on the page.`);
    const search = isSoon && searches === 0 ? { name: 'wait', input: { text: intent.when } } : searchOn(page);
    return { text: `check: not there yet\ngoal: find ${wordsOf(intent)}`, calls: [search] };
  };

const searchOn = ({ hasMore }: SeenPage): MindCall =>
  hasMore ? { name: 'scroll', input: { screens: 1 } } : { name: 'wait', input: { secs: 1 } };

export const wordsOf = (intent: Intent) =>
  Object.entries(intent).map(([key, value]) => `${key} ${said(value)}`)[0] ?? '';
const said = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : typeof value);

const finish = (state: 'done' | 'impossible', summary: string, data?: unknown): MindAnswer => ({
  calls: [{ name: 'finish', input: { state, summary, ...(data === undefined ? {} : { data }) } }],
});

/** Undefined while the page does not show what it needs. */
export function callFor(intent: Intent, page: SeenPage): MindCall | undefined {
  if ('open' in intent) return { name: 'open', input: { url: intent.open } };
  if ('press' in intent) return { name: 'press', input: { key: intent.press } };
  if ('call' in intent) return intent.call;
  if ('accept' in intent)
    return {
      name: 'answer_dialog',
      input: { accept: intent.accept, ...(intent.text === undefined ? {} : { text: intent.text }) },
    };
  if ('click' in intent) {
    const [found] = findHandles(page, intent.click, intent.role ? [intent.role] : clickable, intent.in);
    const irreversible = intent.irreversible ? { irreversible: true } : {};
    return found && { name: 'click', input: { ref: found.ref, ...irreversible } };
  }
  if ('use' in intent) {
    const [found] = findHandles(page, intent.on, intent.role ? [intent.role] : undefined, intent.in);
    return found && { name: intent.use, input: { ref: found.ref, ...intent.input } };
  }
  if ('choose' in intent) {
    const [found] = findHandles(page, intent.from, choosers, intent.in);
    return found && { name: 'choose', input: { ref: found.ref, option: intent.choose } };
  }
  if ('drag' in intent) {
    const [from, to] = [intent.drag, intent.to].map((name) => findHandles(page, name)[0]);
    return from && to && { name: 'drag', input: { from: from.ref, to: to.ref } };
  }
  if ('tab' in intent) {
    const found = page.tabs.find(({ text }) => text.includes(intent.tab));
    return found && { name: 'tab', input: { page: found.id, ...(intent.close && { close: true }) } };
  }
  if ('fill' in intent) return fillCall(intent, page);
  if ('giveUp' in intent) return finish('impossible', intent.giveUp).calls?.[0];
  const data = typeof intent.finish === 'function' ? intent.finish(page) : intent.finish;
  if (typeof intent.finish === 'function' && data === undefined) return undefined;
  return finish('done', intent.summary ?? 'It is done.', data).calls?.[0];
}

function fillCall(intent: Extract<Intent, { fill: unknown }>, page: SeenPage): MindCall | undefined {
  const items = Object.entries(intent.fill).map(([label, value]) => {
    const found = findHandles(page, label, undefined, intent.in).filter(({ role }) => isFillable(role, value));
    return found[0] && { ref: found[0].ref, ...filled(found[0], value) };
  });
  if (items.some((item) => item === undefined)) return undefined;
  return { name: 'fill', input: { items, ...(intent.thenPress ? { then_press: intent.thenPress } : {}) } };
}

const isFillable = (role: string, value: string | boolean) =>
  typeof value === 'boolean' ? boxes.includes(role) : !clickable.includes(role);

const filled = ({ role }: SeenHandle, value: string | boolean) => {
  if (typeof value === 'boolean') return { checked: value };
  return role === 'select' || role === 'list' ? { option: value } : { text: value };
};

/** Results that count, searches since the last of them, and failures since then. */
function progressOf({ messages }: MindRequest): { done: number; searches: number; failures: number } {
  const progress = { done: 0, searches: 0, failures: 0 };
  const count = (name: string, result: string) => {
    if (searching.has(name)) progress.searches += 1;
    else if (isDone(result)) {
      progress.done += 1;
      progress.searches = 0;
      progress.failures = 0;
    } else progress.failures += 1;
  };
  let isMistake = false;
  for (const { role, text, results } of messages) {
    if (role === 'assistant') isMistake = text.includes(`goal: ${mistake}`);
    for (const result of results) if (!isMistake) count(result.name, result.text);
    // Older decisions are one line each: `3. click {"ref":"e4"}: done`.
    if (role === 'user' && text.startsWith('Done so far:'))
      for (const [, name = '', result = ''] of text.matchAll(/^\d+\. ([a-z_]+) .*?: ([^:]*)$/gm)) count(name, result);
  }
  return progress;
}
