// Tasks as the API shows them, field by field.

import {
  type Decision,
  type DecisionView,
  type Evidence,
  type Execution,
  ImageType,
  type InboxItem,
  type Json,
  type LogEntry,
  type Observation,
  type Plan,
  type Screenshot,
  type Task,
  type TaskResult,
  type TaskStatus,
  type TaskSummary,
} from '@pilothouse/contract';
import {
  attemptOf,
  type DecisionViewRow,
  type ExecutionRow,
  historyOf,
  type InboxRow,
  type ListedDecision,
  type ListedTask,
  type LogRow,
  type ObservationRow,
  planItemsOf,
  progressOf,
  questionOf,
  type StepRow,
  stepIdOf,
  type TaskRow,
  type TaskStanding,
  takeoverOf,
} from '@pilothouse/store';
import { cursorOf } from '../live/cursor.ts';

// Both were written by us in the shape of the contract; to check a long one again costs more than to read it.
const stepOf = (task: TaskRow, { index }: StepRow) => (task.plan as Plan).steps[index - 1];
const resultOf = ({ result }: TaskRow) => result as TaskResult | null;

export function viewStatus({ task, lastSeq, stepCount, lines, pictures, takeover }: TaskStanding): TaskStatus {
  return {
    ...progressOf(task),
    task_id: task.id,
    session_id: task.session_id,
    title: task.title,
    result: resultOf(task),
    takeover: takeover && takeoverOf(takeover),
    question: questionOf(task),
    plan_items: planItemsOf(task),
    recent_evidence: pictures.flatMap((row) => viewEvidence(row) ?? []),
    agent_history: lines.flatMap((line) => {
      const step = stepOf(task, line);
      return step ? [historyOf(line, step, line)] : [];
    }),
    attempt: task.attempt,
    cost: {
      steps: stepCount,
      model_calls: task.model_calls,
      input_tokens: task.input_tokens,
      output_tokens: task.output_tokens,
      cached_tokens: task.cached_tokens,
      cost_micros: task.cost_micros,
    },
    cursor: cursorOf(lastSeq),
  };
}

export function viewSummary(row: ListedTask): TaskSummary {
  return {
    id: row.id,
    session_id: row.session_id,
    title: row.title,
    status: row.status,
    current_step: row.current_step,
    current_step_title: row.current_step_title,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    last_error: row.last_error,
  };
}

/** A task that waits for a person. */
export function viewInboxItem(row: InboxRow): InboxItem {
  const { id, session_id, title, status, paused_at, takeover } = row;
  return {
    task_id: id,
    session_id,
    title,
    status,
    waiting_since: paused_at.toISOString(),
    question: questionOf(row),
    takeover: takeover && takeoverOf(takeover),
  };
}

export function viewTask(row: TaskRow): Task {
  return {
    ...viewSummary(row),
    prompt: row.prompt,
    // Both were checked when the request came.
    plan: row.plan as Plan,
    settings: row.settings as Task['settings'],
    result: resultOf(row),
    rerun_of: row.rerun_of,
  };
}

const imagePath = ({ task_id, id }: ObservationRow) => `/api/tasks/${task_id}/observations/${id}/image`;

/** The picture of a step, by its path; undefined if the observation is no picture. */
export function viewEvidence(row: ObservationRow): Evidence | undefined {
  const type = ImageType.safeParse(row.content_type);
  if (!type.success) return undefined;
  return {
    observation_id: row.id,
    step_id: row.step_id,
    recorded_at: row.recorded_at.toISOString(),
    label: row.summary ?? '',
    content_type: type.data,
    width: row.width,
    height: row.height,
    screenshot_path: imagePath(row),
    url: row.url,
  };
}

/** The text that stands for the picture, or that it is too large; undefined if the caller did not ask for it. */
export type EmbeddedImage = { data_base64: string } | { data_omitted: 'too_large' } | undefined;

export function viewObservation(row: ObservationRow, embedded?: EmbeddedImage): Observation {
  return {
    observation_id: row.id,
    task_id: row.task_id,
    step_id: row.step_id,
    seq: row.seq,
    recorded_at: row.recorded_at.toISOString(),
    kind: row.kind,
    url: row.url,
    title: row.title,
    summary: row.summary,
    data: (row.data ?? null) as Observation['data'],
    artifact: row.content_type === null ? null : viewArtifact(row, row.content_type, embedded),
  };
}

const viewArtifact = (row: ObservationRow, contentType: string, embedded: EmbeddedImage): Observation['artifact'] => ({
  content_type: contentType,
  byte_len: row.byte_len ?? 0,
  width: row.width,
  height: row.height,
  path: row.file_id ? `/api/tasks/${row.task_id}/files/${row.file_id}` : imagePath(row),
  ...embedded,
});

export function viewScreenshot(row: ObservationRow, base64: string): Screenshot {
  return {
    task_id: row.task_id,
    recorded_at: row.recorded_at.toISOString(),
    content_type: ImageType.parse(row.content_type),
    width: row.width,
    height: row.height,
    screenshot_base64: base64,
    url: row.url,
  };
}

export const viewLog = ({ seq, recorded_at, level, message, step_id, data }: LogRow): LogEntry => ({
  seq,
  timestamp: recorded_at.toISOString(),
  level,
  message,
  step_id,
  data: (data ?? null) as LogEntry['data'],
});

/** A decision of a model, with the steps of it that were begun. */
export function viewDecision(row: ListedDecision): Decision {
  const { calls } = row.actions as { calls: StoredCall[] };
  const { number, model, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros } = row.call;
  return {
    number: row.number,
    decided_at: row.decided_at.toISOString(),
    status: row.status as Decision['status'],
    cut_reason: row.cut_reason,
    evaluation: row.evaluation,
    goal: row.goal,
    thinking: row.thinking,
    url: row.url,
    read_messages: row.read_messages,
    actions: calls.map(({ name, input, steps: [first, count] = [0, 0], refused }) => ({
      tool: name,
      input,
      step_ids: Array.from({ length: count }, (_, i) => row.first_step + first + i)
        .filter((index) => index <= row.last_step)
        .map(stepIdOf),
      refused: refused ?? null,
    })),
    call: {
      number,
      model,
      ms: row.call_ms,
      ...{ input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros },
    },
  };
}
/** As the agent writes them. */
type StoredCall = { name: string; input: Json; steps?: [first: number, count: number]; refused?: string };

/** What the model was shown when it decided. */
export function viewDecisionView(taskId: string, row: DecisionViewRow): DecisionView {
  const type = ImageType.safeParse(row.picture_type);
  return {
    number: row.number,
    decided_at: row.decided_at.toISOString(),
    url: row.url,
    text: row.view,
    picture: type.success
      ? { content_type: type.data, path: `/api/tasks/${taskId}/decisions/${row.number}/picture` }
      : null,
  };
}

/** One execution of the task, with the attempts at steps that it began. */
export function viewExecution(row: ExecutionRow, task: TaskRow, lines: StepRow[]): Execution {
  return {
    execution_id: row.id,
    attempt: row.attempt,
    agent_id: row.agent_id,
    host_id: row.host_id,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    outcome: row.outcome,
    reason: row.reason,
    steps: lines
      .filter(({ execution_id }) => execution_id === row.id)
      .flatMap((line) => {
        const step = stepOf(task, line);
        return step ? [attemptOf(line, step)] : [];
      }),
  };
}
