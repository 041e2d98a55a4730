// The rules that an act of a task is held to, and what people have said to acts of it. The host decides by them, in the look of the
// touch; nothing of a model is in them.

import type { AskedAct, Gate } from '@pilothouse/bus';
import { Policy, type Step } from '@pilothouse/contract';
import { type Rules, rulesFor } from '@pilothouse/policy';
import type { ApprovalRow, StepRow, Store } from '@pilothouse/store';
import type { Standing, TaskTurn, Turn } from '../ledger/turn.ts';
import { isKnownSite } from './known-sites.ts';
import { saidByPeople } from './said-by-people.ts';
import { flowOf } from './step-flow.ts';

export type TaskGate = {
  rules: Rules;
  /** What a person said no to, where it is this step. */
  no: ApprovalRow | undefined;
  /** What the next attempt uses: a yes to it, or to acts of its kind. */
  yes: { id: string; isOnce: boolean } | undefined;
  forAttempt(attempt: Pick<StepRow, 'approval_id'>): Promise<Gate>;
};

/** Steps that a yes to a kind may be about: where one of them may have been done, it is not repeated. */
const committing = new Set<Step['action']>([
  ...(['click', 'double_click', 'press', 'select', 'check', 'drag', 'upload', 'answer_dialog'] as const),
]);

export function createTaskGates({ store, installation = {} }: { store: Store; installation?: Policy }) {
  const isWatched = async (sessionId: string): Promise<boolean> => (await store.viewers.of([sessionId])).has(sessionId);

  /** What is known of the words of a step, and of where it leads. Nothing for steps of people, which may lead anywhere. */
  async function wordsOf(turn: Turn, { allow }: Rules): Promise<Partial<Gate>> {
    const { step, decision, task } = turn;
    if (!decision) return {};
    const [messages, decisions] = await Promise.all([store.taskMessages.of(task.id), store.decisions.of(task.id)]);
    const said = saidByPeople(turn, messages);
    const flow = await flowOf(store, turn, { said, decisions });
    if (!('url' in step) || step.url === undefined) return flow;
    const origin = URL.parse(step.url)?.origin;
    const isKnown = origin && isKnownSite(step.url, turn, { allow, said, decisions });
    return { ...flow, known_origins: isKnown ? [origin] : [] };
  }

  return {
    /** For what a person chose, before the first step. */
    ofFirstPage({ settings, standing }: TaskTurn): Gate {
      const rules = rulesOf(installation, settings.policy, standing);
      return { rules, is_given: true, grants: [], is_watched: true };
    },

    async of(turn: Turn): Promise<TaskGate> {
      const { task, step, index, settings, decision, standing } = turn;
      const rules = rulesOf(installation, settings.policy, standing);
      const approvals = standing.hasApprovals ? await store.approvals.of(task.id) : [];
      const granted = approvals.filter(({ answer }) => answer === 'kind');
      const own = approvals.findLast(({ step_index }) => step_index === index);
      const isUsable = own?.answer === 'once' && own.used_at === null && !own.has_lapsed;
      const grant = committing.has(step.action) ? granted.at(-1) : undefined;
      return {
        rules,
        no: own?.answer === 'no' ? own : undefined,
        yes: isUsable ? { id: own.id, isOnce: true } : grant && { id: grant.id, isOnce: false },
        async forAttempt({ approval_id }) {
          const used = approvals.find(({ id, answer }) => id === approval_id && answer === 'once');
          const needsWatcher = rules.mode === 'watch' || rules.watch.length > 0;
          return {
            rules,
            is_given: decision === undefined && settings.steps_by !== 'program',
            ...(await wordsOf(turn, rules)),
            ...(isAfterNo(approvals, decision?.url) && { is_after_no: true }),
            grants: granted.map(({ class: name, site }) => ({ class: name, origin: site })),
            is_watched: needsWatcher && (await isWatched(task.session_id)),
            yes: used?.fingerprint,
          };
        },
      };
    },
  };
}

/** Whether a person said no to an act on the site that the model saw when it decided. */
function isAfterNo(approvals: ApprovalRow[], url: string | null | undefined): boolean {
  const origin = URL.parse(url ?? '')?.origin;
  const refused = approvals.filter(({ answer }) => answer === 'no');
  return refused.some(({ facts }) => URL.parse((facts as Partial<AskedAct>).page ?? '')?.origin === origin);
}

/** Rules that cannot be read, such as those of a later release, count as the strictest. */
function rulesOf(installation: Policy, ofTask: unknown, { policy: ofUser, isAdmin }: Standing): Rules {
  const read = (one: unknown): Policy => Policy.safeParse(one ?? {}).data ?? { mode: 'watch' };
  return rulesFor({ installation, user: read(ofUser), task: read(ofTask), isAdmin });
}
