/// <reference lib="dom" />
// The script of the page. The session detail and the task status restore it; the two streams only add to them.

import {
  type IrreversibleAnswer,
  isTerminal,
  maxSteps,
  parseScript,
  type Question,
  type ScriptError,
} from '@pilothouse/contract';
import { ApiError, ConnectionError, createClient } from '@pilothouse/sdk';
import { describeStep } from './describe-step.client.ts';
import { element, make, say } from './element.client.ts';
import { createLiveView } from './live-view.client.ts';
import { createTaskView } from './task-view.client.ts';

const baseUrl = location.origin;
// There is no login on this page, so all its tabs share one stream.
const sharedAs = () => 'page';
const client = createClient({ baseUrl, sharedAs });
const live = createLiveView();
const task = createTaskView({ onAnswer: (option, question) => void answer(option, question) });
const form = element<HTMLFormElement>('form');
const script = element<HTMLTextAreaElement>('script');
const run = element<HTMLButtonElement>('run');
const fresh = element<HTMLButtonElement>('fresh');
const problems = element('problems');

/** What the address of the page names. */
type PageAddress = { session?: string; task?: string; share?: string };
let shown: PageAddress = {};
let sessionFollow = new AbortController();
let taskFollow = new AbortController();

/** Shows what the address names, and leaves alone what is shown already. */
function showAddress(): void {
  const named = new URLSearchParams(location.hash.slice(1));
  const given = (name: keyof PageAddress) => named.get(name) ?? undefined;
  const next: PageAddress = { session: given('session'), task: given('task'), share: given('share') };
  // A share shows the session, but no tasks.
  if (next.share) delete next.task;
  document.body.classList.toggle('shared', next.share !== undefined);
  const before = shown;
  shown = next;
  fresh.hidden = !next.session || next.share !== undefined;
  if (next.task !== before.task) {
    taskFollow.abort();
    taskFollow = new AbortController();
    task.clear();
    if (next.task) void followTask(next.task, taskFollow.signal).catch(unlessAborted(taskFollow.signal, task.explain));
  }
  if (next.session !== before.session || next.share !== before.share) {
    sessionFollow.abort();
    sessionFollow = new AbortController();
    live.clear();
    if (next.session)
      void followSession(next.session, sessionFollow.signal).catch(unlessAborted(sessionFollow.signal, live.explain));
  }
}

function go(next: PageAddress): void {
  const named = new URLSearchParams(Object.entries(next));
  history.pushState(null, '', named.size > 0 ? `#${named}` : location.pathname);
  showAddress();
}

async function followSession(id: string, signal: AbortSignal): Promise<void> {
  const client = createClient({ baseUrl, sharedAs, shareToken: shown.share });
  // After a reset the cursor is unknown: begin again with the snapshot.
  for (;;) {
    live.setConnection('connecting');
    const { snapshot } = await keepTrying(
      () => client.getSession({ id }, { signal }),
      signal,
      () => {
        live.setConnection('reconnecting');
      },
    );
    live.restore(snapshot);
    if (snapshot.session.last_task_id === shown.task) restoreScript(snapshot.message_state?.task_prompt);
    try {
      const options = { signal, onConnection: live.setConnection };
      for await (const event of client.followSession({ id, cursor: snapshot.cursor }, options)) live.apply(event);
    } catch (error) {
      signal.throwIfAborted();
      // Without the stream the view stays, but is not live.
      console.warn('not live:', error);
      // The share is over: its guest may no longer see the session.
      if (shown.share) {
        live.clear();
        return live.explain(inWords(error));
      }
      return live.setConnection('refused');
    }
  }
}

async function followTask(id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { status } = await keepTrying(() => client.getTaskStatus({ id }, { signal }), signal, task.explain);
    task.restore(status);
    if (isTerminal(status.status)) return;
    try {
      for await (const event of client.followTask({ id, cursor: status.cursor }, { signal })) {
        task.apply(event);
        if (event.type === 'overlay') live.showOverlay(event.overlay);
      }
    } catch (error) {
      signal.throwIfAborted();
      console.warn('progress is not live:', error);
      return;
    }
  }
}

/** Repeats a read while the server is away or busy. */
async function keepTrying<T>(read: () => Promise<T>, signal: AbortSignal, explain: (text: string) => void): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      const willPass = error instanceof ConnectionError || (error instanceof ApiError && error.status >= 429);
      if (!willPass) throw error;
      explain('The server cannot be reached. Trying again.');
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

const unlessAborted = (signal: AbortSignal, explain: (text: string) => void) => (error: unknown) => {
  if (!signal.aborted) explain(inWords(error));
};

function inWords(error: unknown): string {
  if (error instanceof ConnectionError) return 'The server cannot be reached.';
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 401 && shown.share) return 'This link is not valid, or no longer.';
  if (error.status === 401) return 'This server asks for a login, which this page does not have yet.';
  if (error.code === 'not_found') return 'There is no such session or task, or it is not yours.';
  const fields = error.errors.map(({ pointer, message }) => `${pointer} ${message}`);
  return [error.message, ...fields].join(' ');
}

/** Shows the script of the task, unless the person is writing another. */
function restoreScript(prompt: string | undefined): void {
  if (!prompt) return;
  if (script.value === '') script.value = prompt;
  const asked = parseScript(prompt);
  if (asked.ok) task.plan(asked.steps.map(describeStep));
}

/** Answers only the question that was shown: the task may ask another by now. */
async function answer(option: IrreversibleAnswer, { asked_at }: Question): Promise<void> {
  const { task: id } = shown;
  if (!id) return;
  try {
    await client.signalTakeover({ id, answer: option, asked_at });
    problems.replaceChildren();
  } catch (error) {
    problems.replaceChildren(make('p', '', inWords(error)));
  }
}

async function start(): Promise<void> {
  const parsed = parseScript(script.value);
  const found = parsed.ok ? [] : parsed.errors.map(({ line, message }) => `Line ${line}: ${message}`);
  if (parsed.ok && parsed.steps.length === 0) found.push('Write at least one instruction.');
  problems.replaceChildren(...found.map((text) => make('p', '', text)));
  if (!parsed.ok) return pointAt(parsed.errors[0]);
  if (found.length > 0) return script.focus();

  const { steps } = parsed;
  run.disabled = true;
  try {
    const limit = Math.min(Math.max(steps.length, 40), maxSteps);
    const asked = { prompt: script.value, steps, session_id: shown.session, max_steps: limit };
    const reply = await client.sendChat(asked);
    if (!('task_id' in reply)) return;
    go({ session: reply.session_id, task: reply.task_id });
    task.plan(steps.map(describeStep));
  } catch (error) {
    problems.replaceChildren(make('p', '', inWords(error)));
  } finally {
    run.disabled = false;
  }
}

/** Puts the caret at the error in the script. */
function pointAt({ line, column }: ScriptError = { line: 1, column: 1, message: '' }): void {
  // A text area has one kind of line end.
  const before = script.value.split('\n').slice(0, line - 1);
  const at = before.join('').length + before.length + column - 1;
  script.focus();
  script.setSelectionRange(at, at);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void start();
});
script.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || run.disabled) return;
  event.preventDefault();
  void start();
});
fresh.addEventListener('click', () => {
  go({});
  script.focus();
});
addEventListener('hashchange', showAddress);
addEventListener('popstate', showAddress);
showAddress();

// Notices of the server are always visible, for example that it has no logins.
const health = await client.getHealth().catch(() => undefined);
element('notice').hidden = !health?.notices.length;
say(element('notice'), health?.notices.join(' ') ?? '');
