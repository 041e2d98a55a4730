import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Approval, parseScript, type QuestionKind } from '@pilothouse/contract';
import { newId } from '@pilothouse/store';
import { takeRun } from '@pilothouse/store/testing/runs';
import { connectMcp, requestOfCall } from '../../../../testkit/mcp.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';

const yesNo = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];
const approvalChoices = [
  { value: 'once', label: 'Yes, once' },
  { value: 'kind', label: 'Yes, for this kind' },
  { value: 'no', label: 'No' },
];
const text = 'Which of the lanterns?';

describe('a task that waits for a person, over MCP', () => {
  let server: TestServer;
  let owner: Awaited<ReturnType<typeof registerUser>>;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false, planners: { parseScript } });
    owner = await registerUser(server);
  });
  after(() => server.close());

  type Asked = {
    kind: QuestionKind;
    choices?: typeof yesNo;
    takesWords: boolean;
    approval?: Omit<Approval, 'expires_at'>;
  };
  /** As an agent asks. */
  async function asked(question: Asked) {
    const { store } = server;
    const { task_id: id, session_id } = await owner.client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    await takeRun(store, id);
    const begun = await store.transaction((tx) => store.tasks.beginExecution(tx, id, newId()));
    const held = { id, executionId: begun?.executionId ?? '' };
    await store.change(session_id, async (tx) => {
      if (question.approval) {
        const facts = { role: null, name: null, value: null, page: null, frame_origin: null, form_action: null };
        const act = { fingerprint: 'f', class: 'commit', site: 'https://shop.test', expiresInSecs: 600 } as const;
        const about = { ...act, facts: { ...facts, amounts: [], bbox: null } };
        await store.approvals.add(tx, { id: question.approval.id, taskId: id, stepIndex: 1, ...about });
      }
      assert.ok(await store.questions.ask(tx, held, { text, stepId: 'step-1', expiresInSecs: 600, ...question }, null));
    });
    return id;
  }
  const approval = (): Omit<Approval, 'expires_at'> => ({
    ...{ id: newId(), class: 'commit', why: 'It commits.', action: 'Click "Place order"', role: 'button' },
    ...{ name: 'Place order', value: null, secret: null, page: 'https://shop.test/', frame_origin: null },
    ...{ form_action: null, amounts: [], bbox: null, picture_path: null, void_reason: null },
  });
  const statusOf = async (id: string) => (await owner.client.getTaskStatus({ id })).status;

  it('is told as needs_person with the link of the inbox, and its question as words of a page', async () => {
    const { call, close } = await connectMcp(server.baseUrl, owner.token);
    const id = await asked({ kind: 'question', takesWords: true });
    const { facts, text: shown } = await call('get_task', { task_id: id });
    assert.equal(facts.outcome, 'needs_person');
    assert.equal(facts.needs_person.link, `${server.baseUrl}/inbox/${id}`);
    assert.equal(facts.from_page.question, text);
    const [, mark] = /Between <(page-[0-9a-f]{12})>/.exec(shown) ?? [];
    assert.ok(
      mark &&
        shown.indexOf(text) > shown.indexOf(`\n<${mark}>`) &&
        shown.indexOf(text) < shown.lastIndexOf(`</${mark}>`),
    );
    await close();
  });

  it('takes an answer to that question, and to no other', async () => {
    const { call, close } = await connectMcp(server.baseUrl, owner.token);
    const id = await asked({ kind: 'choice', choices: yesNo, takesWords: false });
    const asked_at = (await statusOf(id)).question?.asked_at;
    const answer = { task_id: id, answer: 'yes', asked_at, wait_secs: 0 };
    const late = await call('answer_task', { ...answer, asked_at: '2026-01-02T03:04:05.678Z' });
    assert.equal(late.facts.refused, 'conflict');
    assert.equal((await call('answer_task', { ...answer, answer: 'maybe' })).facts.refused, 'invalid_answer');
    assert.equal((await call('answer_task', answer)).facts.outcome, 'working');
    assert.equal((await statusOf(id)).status, 'running');
    await close();
  });

  it('gets its answer from the user of a client that can ask', async () => {
    const said: string[] = [];
    const answer = (message: string) => {
      said.push(message);
      return 'the brass one';
    };
    const { call, close } = await connectMcp(server.baseUrl, owner.token, { answer });
    const id = await asked({ kind: 'question', takesWords: true });
    assert.equal((await call('get_task', { task_id: id })).facts.outcome, 'working');
    assert.deepEqual(said, [text]);
    const { message_state } = await owner.client.getMessageState({ id });
    assert.equal(message_state.items.at(-1)?.content, 'the brass one');
    await close();
  });

  it('stays in the inbox where that user does not want to answer', async () => {
    const { call, close } = await connectMcp(server.baseUrl, owner.token, { answer: () => undefined });
    const id = await asked({ kind: 'question', takesWords: true });
    assert.equal((await call('get_task', { task_id: id })).facts.outcome, 'needs_person');
    assert.equal((await statusOf(id)).status, 'awaiting_user');
    await close();
  });

  const forPeople: Asked[] = [
    { kind: 'approval', choices: approvalChoices, takesWords: false, approval: approval() },
    { kind: 'plan', choices: yesNo, takesWords: true },
    { kind: 'doubt', choices: [{ value: 'done', label: 'Done' }], takesWords: false },
    { kind: 'drive', takesWords: true },
  ];
  for (const question of forPeople)
    it(`gets no answer of a client to a question of kind ${question.kind}, by no way`, async () => {
      const answer = () => question.choices?.[0]?.value ?? 'done';
      const { call, close } = await connectMcp(server.baseUrl, owner.token, { answer });
      const id = await asked(question);
      const { facts } = await call('get_task', { task_id: id });
      assert.equal(facts.outcome, 'needs_person');
      assert.equal(facts.needs_person.kind, question.kind);
      const asked_at = facts.needs_person.asked_at;
      const refused = await call('answer_task', { task_id: id, answer: answer(), asked_at, wait_secs: 0 });
      assert.equal(refused.facts.refused, 'forbidden');
      // A client that claims to have been asked.
      const claim = {
        arguments: { task_id: id },
        inputResponses: { answer: { action: 'accept', content: { answer: answer() } } },
        requestState: JSON.stringify({ task_id: id, asked_at }),
      };
      const response = await fetch(
        new URL('/mcp', server.baseUrl),
        requestOfCall(owner.token, { name: 'get_task', ...claim }),
      );
      const forged = (await response.json()) as { result: { structuredContent: { refused: string } } };
      assert.equal(forged.result.structuredContent.refused, 'forbidden');
      const status = await statusOf(id);
      assert.equal(status.status, 'awaiting_user');
      assert.equal(status.question?.asked_at, asked_at);
      await close();
    });
});
