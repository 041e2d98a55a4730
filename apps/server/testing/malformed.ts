// Sends generated malformed requests, and checks that each gets a proper refusal.

import assert from 'node:assert/strict';
import { errors, isId, Problem, type Route, type RouteName, routes } from '@pilothouse/contract';
import fc from 'fast-check';
import { aimedRequest, type MalformedRequest, nameOf, type ServedRoute } from './aimed-requests.ts';
import { sendRaw } from './raw-http.ts';
import { samples } from './request-samples.ts';
import { wrongBytes, wrongRequest } from './wrong-requests.ts';

export type MalformedResult = {
  /** The number of answers of each kind. */
  answers: Record<string, number>;
  /** For each served route, the number of answers by status. */
  aimed: Record<string, Record<number, number>>;
  /** Requests without an answer. */
  unanswered: string[];
};

/**
 * Sends generated malformed requests, more than half of them aimed at the routes that are served. Throws, with the seed
 * and the request, at the first answer that is a 5xx or a refusal that is no problem with a code of the contract.
 */
export async function sendMalformed(
  port: number,
  { count, seed }: { count: number; seed: number },
): Promise<MalformedResult> {
  const answers: Record<string, number> = {};
  const served = await servedRoutes(port);
  const aimed: MalformedResult['aimed'] = Object.fromEntries(served.map(({ route }) => [nameOf(route), {}]));
  const unanswered: string[] = [];
  const send = async ({ text, halfClose, aim }: MalformedRequest) => {
    const received = await sendRaw(port, Buffer.from(text, 'latin1'), { halfClose });
    // Empty lines before a request are ignored, so empty lines alone are no request.
    if (received.length === 0 && /[^\r\n]/.test(text)) unanswered.push(text.slice(0, 300));
    for (const { status, headers, body } of received) {
      assert.ok(status < 500, `answered ${status}: ${body}`);
      const code = status < 400 ? '' : ` ${checkProblem(status, headers, body, text.startsWith('HEAD '))}`;
      increase(answers, `${status}${code}`);
      if (aim) increase(aimed[aim] ?? {}, status);
    }
  };
  const request = fc.oneof(
    { weight: 6, arbitrary: aimedRequest(served, await realIds(port)) },
    { weight: 3, arbitrary: fc.record({ text: wrongRequest, halfClose: fc.constant(false) }) },
    { weight: 1, arbitrary: fc.record({ text: wrongBytes, halfClose: fc.constant(true) }) },
  );
  await fc.assert(fc.asyncProperty(request, send), { numRuns: count, endOnFailure: true, seed });
  return { answers: Object.fromEntries(Object.entries(answers).sort()), aimed, unanswered };
}

function increase(counts: Record<string, number>, key: string | number): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

/** The OpenAPI document of the server says which routes it serves. */
async function servedRoutes(port: number): Promise<ServedRoute[]> {
  const document = await callJson<{ paths: Record<string, object> }>(port, '/api/openapi.json');
  return Object.entries<Route>(routes)
    .filter(([, { method, path }]) => {
      const item = document.paths[path.replace(/:(\w+)/g, '{$1}')];
      return item && method.toLowerCase() in item;
    })
    .map(([name, route]) => ({ name: name as RouteName, route }));
}

/** Ids of a real session and task, so that requests get past the lookup. */
async function realIds(port: number): Promise<Record<'sessions' | 'tasks', string>> {
  const { prompt, steps } = samples.sendChat;
  const body = JSON.stringify({ prompt, steps });
  const { session_id, task_id } = await callJson<{ session_id: string; task_id: string }>(port, '/api/chat', body);
  assert.ok(isId(session_id) && isId(task_id), 'a whole request is accepted');
  return { sessions: session_id, tasks: task_id };
}

async function callJson<T>(port: number, path: string, body?: string): Promise<T> {
  const init = body ? { method: 'POST', body, headers: { 'content-type': 'application/json' } } : {};
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(10_000) });
  // The caller names the type that the contract promises.
  return (await answer.json()) as T;
}

function checkProblem(status: number, headers: Map<string, string>, body: string, isHead: boolean): string {
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
  if (isHead && body === '') return 'without a body';
  const problem = Problem.parse(JSON.parse(Buffer.from(body, 'latin1').toString()));
  assert.equal(problem.status, status);
  // For errors of the HTTP parser the status says more than the code.
  if (status !== 408 && status !== 431) assert.equal(errors[problem.code].status, status);
  return problem.code;
}
