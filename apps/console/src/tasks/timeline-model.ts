// The timeline of a task: what was asked, the steps, questions with their answers, and the times in which a person drove.

import { isTerminal } from '@pilothouse/sdk';
import type {
  Decision,
  Evidence,
  MessageState,
  Observation,
  Question,
  TaskEvent,
  TaskStatus,
  Verdict,
} from '../live/api-types.ts';
import { type Attempt, attemptsOf, byStep } from './attempts.ts';
import type { Band } from './axis-model.ts';

/** `earlier`: it has ended, and how is not read yet. */
export type StepState = 'done' | 'failed' | 'interrupted' | 'running' | 'coming' | 'not_run' | 'earlier';
export type StepItem = {
  type: 'step';
  key: string;
  index: number;
  stepId: string | undefined;
  title: string;
  state: StepState;
  tries: number;
  /** Attempts before this one that failed, oldest first. */
  failures: readonly Attempt[];
  /** When it ended, or undefined before that. */
  at: string | undefined;
  ranMs: number | undefined;
  message: string | null;
  thinking: string | null;
  evaluation: string | null;
  nextGoal: string | null;
  verdict?: Verdict;
  evidence: Evidence | undefined;
};
/** What a model wants with the steps that follow, and what it says of the last goal. All words are the model's. */
export type DecisionItem = {
  type: 'decision';
  key: string;
  /** Undefined where the decision itself is not read. */
  number: number | undefined;
  at: string;
  goal: string;
  evaluation: string | null;
  thinking: string | null;
  /** Why something that it wanted was not done. */
  refused: readonly string[];
  /** Why not all of its steps were done. */
  cut: string | null;
  call: Decision['call'] | undefined;
  isNow: boolean;
  /** The model is asked, and has not answered yet. */
  isDeciding: boolean;
};
export type TimelineItem =
  | { type: 'prompt'; key: string; at: string; text: string }
  | StepItem
  | DecisionItem
  | { type: 'question'; key: string; at: string; text: string; answer?: { text: string; at: string }; open?: Question }
  | { type: 'note'; key: string; at: string; text: string }
  | { type: 'handover'; key: string; at: string; ms: number; isMine: boolean; isNow: boolean };

type Options = {
  status: TaskStatus | undefined;
  messages: MessageState | null | undefined;
  /** Titles of the plan, for the steps that are still to come. */
  plan?: readonly string[];
  /** The bands of the time axis in which a person drove. */
  bands?: readonly Band[];
  /** What is known of the steps that ended; those of the status where nothing more is read. */
  attempts?: readonly Attempt[];
  /** By step, where older ones than those of the status are read. */
  evidence?: ReadonlyMap<string, Evidence>;
};

/** In the order of time; the running step and those to come are last. */
export function buildTimeline({
  status,
  messages,
  plan = [],
  bands = [],
  evidence,
  ...given
}: Options): TimelineItem[] {
  const attempts = given.attempts ?? attemptsOf(status?.agent_history ?? []);
  const said = saidItems(messages, status?.question ?? null);
  const asked = new Set(said.flatMap((item) => (item.type === 'question' ? [item.text] : [])));
  const pictures = new Map([...(evidence ?? [])]);
  for (const one of status?.recent_evidence ?? []) pictures.set(one.step_id, one);
  // A question is shown as itself, with its answer.
  const shown = attempts.filter(({ action }) => action !== 'ask' || asked.size === 0);
  const isTried = ([attempt]: readonly Attempt[], last?: Attempt) =>
    status?.status === 'running' && attempt?.index === status.current_step && last?.status !== 'success';
  const steps = byStep(shown).map((tries) => ({ tries, isOpen: isTried(tries, tries.at(-1)) }));
  const done = steps.flatMap(({ tries, isOpen }) => (isOpen ? cutOff(tries) : stepItems(tries, pictures)));
  const handovers = handoverItems(bands, status !== undefined && isTerminal(status.status));
  const past = [...said, ...done, ...handovers].toSorted((one, other) => timeOf(one) - timeOf(other));
  const first = past.findIndex(({ type }) => type !== 'prompt');
  past.splice(first < 0 ? past.length : first, 0, ...earlierSteps(attempts, plan));
  const open = steps.find(({ isOpen }) => isOpen)?.tries ?? [];
  const ended = new Set(attempts.map(({ index }) => index));
  if (open[0]) ended.delete(open[0].index);
  return [...past, ...comingSteps(status, plan, ended, open)];
}

const timeOf = (item: TimelineItem): number => (item.at === undefined ? Number.POSITIVE_INFINITY : Date.parse(item.at));

function saidItems(messages: MessageState | null | undefined, open: Question | null): TimelineItem[] {
  const items: TimelineItem[] = [];
  for (const { kind, content, recorded_at } of messages?.items ?? []) {
    const key = `${kind} ${recorded_at}`;
    if (kind === 'prompt') items.push({ type: 'prompt', key, at: recorded_at, text: content });
    if (kind === 'note') items.push({ type: 'note', key, at: recorded_at, text: content });
    if (kind === 'question') items.push({ type: 'question', key, at: recorded_at, text: content });
    const question = kind === 'answer' ? items.findLast((item) => item.type === 'question') : undefined;
    if (question?.type === 'question') question.answer = { text: content, at: recorded_at };
  }
  if (!open) return items;
  const last = items.findLast((item) => item.type === 'question');
  if (last?.type === 'question' && !last.answer && last.text === open.text) last.open = open;
  else items.push({ type: 'question', key: `question ${open.asked_at}`, at: open.asked_at, text: open.text, open });
  return items;
}

const states = { success: 'done', failed: 'failed', interrupted: 'interrupted' } as const;

/** A step that was tried again is one step. What was cut off, or tried by another agent, is shown before it. */
function stepItems(tries: readonly Attempt[], pictures: ReadonlyMap<string, Evidence>): StepItem[] {
  const last = tries.at(-1);
  if (!last) return [];
  const before = tries.slice(0, -1);
  const failures = before.filter((attempt) => !isApart(attempt, last));
  return [...cutOff(before, last), { ...stepOf(last), failures, evidence: pictures.get(last.stepId) }];
}

const cutOff = (tries: readonly Attempt[], last?: Attempt): StepItem[] =>
  tries
    .filter((attempt) => isApart(attempt, last))
    .map((attempt) => ({ ...stepOf(attempt), key: `step ${attempt.stepId} ${attempt.number}`, tries: 1 }));

const isApart = ({ status, executionId }: Attempt, last?: Attempt): boolean =>
  status === 'interrupted' ||
  (last?.executionId !== undefined && executionId !== undefined && executionId !== last.executionId);

const stepOf = (attempt: Attempt): StepItem => ({
  type: 'step',
  key: `step ${attempt.stepId}`,
  index: attempt.index,
  stepId: attempt.stepId,
  title: attempt.title,
  state: states[attempt.status],
  tries: attempt.number,
  failures: [],
  at: new Date(attempt.to).toISOString(),
  ranMs: attempt.ranMs,
  message: attempt.message,
  thinking: attempt.thinking,
  evaluation: attempt.evaluation,
  nextGoal: attempt.nextGoal,
  verdict: attempt.verdict,
  evidence: undefined,
});

/** The status has only the last steps. Those before them keep their place until they are read. */
function earlierSteps(attempts: readonly Attempt[], plan: readonly string[]): StepItem[] {
  const first = attempts[0]?.index ?? 1;
  return Array.from({ length: first - 1 }, (_, index) =>
    blankStep(index + 1, plan[index] ?? `Step ${index + 1}`, 'earlier'),
  );
}

function handoverItems(bands: readonly Band[], isOver: boolean): TimelineItem[] {
  return bands.flatMap(({ kind, from, to }, index) => {
    if (kind !== 'you' && kind !== 'other') return [];
    const isNow = index === bands.length - 1 && !isOver;
    const at = new Date(from).toISOString();
    return [{ type: 'handover' as const, key: `handover ${from}`, at, ms: to - from, isMine: kind === 'you', isNow }];
  });
}

function comingSteps(
  status: TaskStatus | undefined,
  plan: readonly string[],
  ended: ReadonlySet<number>,
  open: readonly Attempt[],
): StepItem[] {
  if (!status) return [];
  const isOver = isTerminal(status.status);
  const current = status.current_step;
  const isRunning = status.status === 'running' && current > 0 && !ended.has(current);
  // While a person drives, the present step waits for its turn.
  const isHeld = status.status === 'takeover' && current > 0 && !ended.has(current);
  const failures = open.filter(({ status }) => status === 'failed');
  const running = isRunning
    ? [{ ...blankStep(current, status.current_step_title, 'running'), tries: open.length + 1, failures }]
    : [];
  const last = status.total_steps ?? plan.length;
  const first = Math.max(isHeld ? current - 1 : current, ...ended, 0) + 1;
  const coming = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => {
    const title = plan[first + offset - 1];
    return title === undefined ? [] : [blankStep(first + offset, title, isOver ? 'not_run' : 'coming')];
  }).flat();
  return [...running, ...coming];
}

const blankStep = (index: number, title: string, state: StepState): StepItem => ({
  type: 'step',
  key: `step ${state} ${index}`,
  index,
  stepId: undefined,
  title,
  state,
  tries: 1,
  failures: [],
  at: undefined,
  ranMs: undefined,
  message: null,
  thinking: null,
  evaluation: null,
  nextGoal: null,
  evidence: undefined,
});

export type TaskView = TaskStatus & { seq: number };

export const restoreTask = (status: TaskStatus): TaskView => ({ ...status, seq: 0 });

const keptHistory = 400;
const keptEvidence = 400;

/** The next view of a task. The same object if the event is older than the view, or says nothing of it. */
export function applyTask(view: TaskView, event: TaskEvent): TaskView {
  if (event.type === 'end') return view.status === event.status ? view : { ...view, status: event.status };
  if (event.type === 'reset' || event.seq <= view.seq) return view;
  const { seq } = event;
  switch (event.type) {
    case 'status':
      return { ...view, ...event.status, question: event.status.status === 'running' ? null : view.question, seq };
    case 'agent_history':
      return { ...view, agent_history: [...view.agent_history, event.agent_history].slice(-keptHistory), seq };
    case 'observation':
      return withEvidence(view, event.observation, seq);
    case 'message_state':
      return { ...view, question: event.message_state.pending_question, seq };
    case 'takeover':
      return { ...view, takeover: event.takeover, seq };
    case 'result':
      return { ...view, result: event.result, seq };
    // Kept elsewhere: each press of a person leaves a mark, for which the page need not be drawn.
    case 'overlay':
    case 'log':
      return view;
    default:
      return { ...view, seq };
  }
}

/** An observation with a picture, in the form of the status. */
export function evidenceOf(observation: Observation): Evidence | undefined {
  const { artifact, observation_id, step_id, recorded_at, summary, title, url } = observation;
  const type = artifact?.content_type;
  if (!artifact || (type !== 'image/jpeg' && type !== 'image/png')) return undefined;
  const { width, height, path } = artifact;
  const label = summary ?? title ?? '';
  return { observation_id, step_id, recorded_at, label, content_type: type, width, height, screenshot_path: path, url };
}

function withEvidence(view: TaskView, observation: Observation, seq: number): TaskView {
  const evidence = evidenceOf(observation);
  if (!evidence) return { ...view, seq };
  return { ...view, recent_evidence: [...view.recent_evidence, evidence].slice(-keptEvidence), seq };
}
