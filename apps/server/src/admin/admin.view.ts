// Rows as administrators see them, field by field.

import type {
  AdminAgent,
  AdminHost,
  AdminOverview,
  AdminTask,
  AdminUser,
  AuditEntry,
  JsonObject,
} from '@pilothouse/contract';
import type {
  AgentStanding,
  AuditRow,
  FleetFigures,
  HostStanding,
  Store,
  TaskFigures,
  TaskStandingOfAll,
  UserStanding,
} from '@pilothouse/store';

type EndedFigures = Awaited<ReturnType<Store['figures']['ended']>>;

const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null;

export const viewOverview = (tasks: TaskFigures[], fleet: FleetFigures, ended: EndedFigures): AdminOverview => ({
  tasks: tasks.map(({ status, cause, count, oldestSecs }) => ({
    status,
    waits_for: cause,
    count,
    oldest_secs: oldestSecs,
  })),
  ended: { tasks: ended.tasks, failed: ended.failed, is_cut: ended.isCut },
  hosts: { live: fleet.hosts, avoided: fleet.shunnedHosts, gone: fleet.goneHosts },
  browsers: { slots: fleet.slots, free: fleet.freeSlots },
  waiting: { tasks: fleet.waitingTasks, persons: fleet.waitingPersons },
  agents: { live: fleet.agents, missing: fleet.missingAgents },
});

export const viewUser = (row: UserStanding): AdminUser => ({
  id: row.id,
  username: row.username,
  email: row.email,
  role: row.role,
  created_at: row.created_at.toISOString(),
  disabled_at: timeOf(row.disabled_at),
  open_sessions: row.open_sessions,
  open_tasks: row.open_tasks,
  stored_bytes: { pictures: row.pictures, states: row.states, files: row.files },
});

export const viewHost = (row: HostStanding): AdminHost => ({
  id: row.id,
  state: row.state,
  is_leaving: row.is_leaving,
  is_avoided: row.is_avoided,
  claimed: row.claimed,
  allowed: row.allowed,
  max_sessions: row.max_sessions,
  held: { agent: row.agent, person: row.person, idle: row.idle },
  load: row.load_cpu === null || row.load_memory === null ? null : { cpu: row.load_cpu, memory: row.load_memory },
  seen_at: timeOf(row.seen_at),
  started_at: timeOf(row.started_at),
});

export const viewAgent = (row: AgentStanding): AdminAgent => ({
  id: row.id,
  state: row.state,
  models: row.models,
  tasks: row.tasks,
  started_at: row.started_at.toISOString(),
  seen_at: timeOf(row.seen_at),
});

export const viewTask = (row: TaskStandingOfAll): AdminTask => ({
  id: row.id,
  session_id: row.session_id,
  user_id: row.created_by,
  username: row.username,
  status: row.status,
  waits_for: row.cause,
  waiting_since: timeOf(row.waiting_since),
  is_program: row.program_id !== null,
  agent_id: row.run_agent_id,
  current_step: row.current_step,
  total_steps: row.total_steps,
  created_at: row.created_at.toISOString(),
  finished_at: timeOf(row.finished_at),
});

export const viewAuditEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  recorded_at: row.recorded_at.toISOString(),
  event: row.event,
  outcome: row.outcome,
  user_id: row.user_id,
  username: row.username,
  actor_id: row.actor_id,
  actor: row.actor,
  address: row.address,
  // Only our own code writes it, and only objects.
  data: withoutWords(row.event, row.data as JsonObject),
});

const eventsOnceWithWords = new Set(['put_secret', 'delete_secret', 'policy_changed']);

/** Former releases wrote down the names and origins of secrets, and the hosts of a policy: of them only their number is told. */
function withoutWords(event: string, data: JsonObject): JsonObject {
  if (!eventsOnceWithWords.has(event)) return data;
  const told = Object.entries(data).flatMap(([name, value]) =>
    name === 'name' ? [] : [[name, Array.isArray(value) ? value.length : value]],
  );
  return Object.fromEntries(told);
}
