// Answers of the server in which a task that asks a question asks for a yes to an act: for states that a real page reaches by
// chance only, such as a page that changes after the yes, or words of the worst kind.

import type { Approval, InboxItem, PolicyVerdict, Question, TaskStatus } from '@pilothouse/contract';
import type { Page, Route } from 'playwright-core';

export type ApprovalDouble = {
  /** What the next read tells of. */
  approval: Approval;
  /** What the policy said of each step that has ended: nothing if null, what it said if undefined. */
  verdict: PolicyVerdict | null | undefined;
  /** What the next answer gets; 200 unless said otherwise. */
  refuses: boolean;
  /** What was answered, with the time of the question that it was for. */
  answers: { answer?: string; asked_at?: string }[];
  close(): Promise<void>;
};

const choices = [
  { value: 'once', label: 'Yes, this once' },
  { value: 'kind', label: 'Yes, to this kind on this site in this task' },
  { value: 'no', label: 'No' },
];
const patterns = {
  status: /\/api\/tasks\/[^/]+\/status$/,
  executions: /\/api\/tasks\/[^/]+\/executions(\?|$)/,
  inbox: /\/api\/inbox(\?|$)/,
  answer: /\/api\/tasks\/[^/]+\/user_takeover$/,
};

/** An order at the shop, as a host would describe it. */
export const orderAt = (page: string, given: Partial<Approval> = {}): Approval => ({
  ...{ id: '0198c4a1-0000-7000-8000-000000000001', class: 'commit', action: 'Click "Place order"' },
  why: 'A person has to say yes, because the words on it commit to something.',
  ...{ role: 'button', name: 'Place order', value: null, secret: null, page, frame_origin: null, form_action: null },
  ...{ amounts: [], bbox: null, picture_path: null, void_reason: null },
  expires_at: new Date(Date.now() + 14 * 60_000).toISOString(),
  ...given,
});

/** The question of the task is about this act, in everything that the page reads. What it answers is not sent on. */
export async function doubleApproval(page: Page, approval: Approval): Promise<ApprovalDouble> {
  const double: ApprovalDouble = { approval, verdict: undefined, refuses: false, answers: [], close };
  const asking = (question: Question | null): Question | null =>
    question && {
      ...question,
      ...{ kind: 'approval', choices, takes_words: false, options: null, until: null },
      ...{ approval: double.approval, expires_at: double.approval.expires_at },
    };
  const judged = <Step extends object>(steps: readonly Step[]): Step[] =>
    steps.map((step) => (double.verdict === undefined ? step : { ...step, policy: double.verdict ?? undefined }));
  const handlers: Record<keyof typeof patterns, (route: Route) => Promise<void>> = {
    status: (route) =>
      changed<{ status: TaskStatus }>(route, ({ status, ...rest }) => {
        const agent_history = judged(status.agent_history);
        return { ...rest, status: { ...status, agent_history, question: asking(status.question) } };
      }),
    executions: (route) =>
      changed<{ executions: { steps: object[] }[] }>(route, ({ executions, ...rest }) => ({
        ...rest,
        executions: executions.map((one) => ({ ...one, steps: judged(one.steps) })),
      })),
    inbox: (route) =>
      changed<{ items: InboxItem[] }>(route, ({ items, ...rest }) => ({
        ...rest,
        items: items.map((item) => ({ ...item, question: asking(item.question) })),
      })),
    answer: async (route) => {
      double.answers.push(route.request().postDataJSON());
      const words = 'No question stands that this would answer.';
      const problem = {
        ...{ type: 'about:blank', code: 'conflict', title: words, status: 409, detail: words, message: words },
        ...{ success: false, request_id: double.approval.id },
      };
      if (!double.refuses) return route.fulfill({ json: { success: true, status: {}, takeover: null } });
      return route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem });
    },
  };
  const routes = Object.entries(handlers).map(([name, handler]) => [patterns[name as keyof typeof patterns], handler]);
  for (const [pattern, handler] of routes as [RegExp, typeof handlers.status][]) await page.route(pattern, handler);
  async function close(): Promise<void> {
    for (const [pattern, handler] of routes as [RegExp, typeof handlers.status][]) await page.unroute(pattern, handler);
  }
  return double;
}

/** A page that is left takes no answer any more. */
async function changed<Body>(route: Route, change: (body: Body) => object): Promise<void> {
  const answer = await route.fetch().catch(() => undefined);
  if (!answer) return route.abort().catch(() => {});
  if (!answer.ok()) return route.fulfill({ response: answer }).catch(() => {});
  const json = change((await answer.json()) as Body);
  return route.fulfill({ response: answer, json }).catch(() => {});
}
