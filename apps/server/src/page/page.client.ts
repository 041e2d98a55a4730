/// <reference lib="dom" />
// The session detail and the task status restore the page; the two streams only add to them.
import { isTerminal, maxSteps, parseScript, type ScriptError } from '@pilothouse/contract';
import { ApiError, ConnectionError, createClient } from '@pilothouse/sdk';
import { describeStep } from './describe-step.client.ts';
import { element, make, say } from './element.client.ts';
import { createLiveView } from './live-view.client.ts';
import { createTaskView } from './task-view.client.ts';

const baseUrl = location.origin;
// Nobody logs in on this page, so all its tabs are one.
const sharedAs = () => 'page';
const client = createClient({ baseUrl, sharedAs });
const live = createLiveView();
const task = createTaskView();
const form = element<HTMLFormElement>('form');
const script = element<HTMLTextAreaElement>('script');
const run = element<HTMLButtonElement>('run');
const fresh = element<HTMLButtonElement>('fresh');
const problems = element('problems');

type Shown = { session?: string; task?: string; share?: string };
let shown: Shown = {};
let sessionWatch = new AbortController();
let taskWatch = new AbortController();

/** Shows what the address names. What is shown already is left alone. */
function showAddress(): void {
  const named = new URLSearchParams(location.hash.slice(1));
  const given = (name: keyof Shown) => named.get(name) ?? undefined;
  const next: Shown = { session: given('session'), task: given('task'), share: given('share') };
  // A share shows the session, and nothing of what people asked for in it.
  if (next.share) delete next.task;
  document.body.classList.toggle('shared', next.share !== undefined);
  const before = shown;
  shown = next;
  fresh.hidden = !next.session || next.share !== undefined;
  if (next.task !== before.task) {
    taskWatch.abort();
    taskWatch = new AbortController();
    task.clear();
    if (next.task) void watchTask(next.task, taskWatch.signal).catch(unlessAborted(taskWatch.signal, task.explain));
  }
  if (next.session !== before.session || next.share !== before.share) {
    sessionWatch.abort();
    sessionWatch = new AbortController();
    live.clear();
    if (next.session)
      void watchSession(next.session, sessionWatch.signal).catch(unlessAborted(sessionWatch.signal, live.explain));
  }
}

function go(next: Shown): void {
  const named = new URLSearchParams(Object.entries(next));
  history.pushState(null, '', named.size > 0 ? `#${named}` : location.pathname);
  showAddress();
}

async function watchSession(id: string, signal: AbortSignal): Promise<void> {
  const client = createClient({ baseUrl, sharedAs, shareToken: shown.share });
  // After a reset there is no place in the stream to go on from: begin again with the snapshot.
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
      // The view stands without the stream; it only is not live.
      console.warn('not live:', error);
      // What was shared is nobody's to look at any more.
      if (shown.share) {
        live.clear();
        return live.explain(inWords(error));
      }
      return live.setConnection('refused');
    }
  }
}

async function watchTask(id: string, signal: AbortSignal): Promise<void> {
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

/** Reads until there is an answer: a server that is away or busy comes back. */
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

/** What was asked for, unless the person is writing something else. */
function restoreScript(prompt: string | undefined): void {
  if (!prompt) return;
  if (script.value === '') script.value = prompt;
  const asked = parseScript(prompt);
  if (asked.ok) task.plan(asked.steps.map(describeStep));
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

/** Puts the caret where the script is not understood. */
function pointAt({ line, column }: ScriptError = { line: 1, column: 1, message: '' }): void {
  // A text area knows one sort of line end.
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

// Said in plain sight: a server without logins.
const health = await client.getHealth().catch(() => undefined);
element('notice').hidden = !health?.notices.length;
say(element('notice'), health?.notices.join(' ') ?? '');
