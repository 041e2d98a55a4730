// The ledger: every attempt of every agent, with its time on the axis.

import { Fragment } from 'react';
import { VerdictLine } from '../approval/verdict-line.tsx';
import type { Execution, ExecutionStep } from '../live/api-types.ts';
import { describeSpan, describeTimeOfDay } from '../live/describe-time.ts';
import { isAsking } from '../tasks/attempts.ts';
import type { Axis } from '../tasks/axis-model.ts';
import { Chip } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';

const columns = ['#', 'Step', 'State', 'Intent', 'Effect', 'Waited', 'Ran', 'On the time axis'];
/** Beside the step, where the policy said anything. */
const policyColumn = 'Policy';
const states = {
  success: ['done', ''],
  running: ['running', 'text-agent-ink'],
  failed: ['failed', 'text-bad-ink'],
  interrupted: ['interrupted', 'text-bad-ink'],
} as const;

export function ExecutionTable({ executions, axis }: { executions: readonly Execution[]; axis: Axis }) {
  const hasPolicy = executions.some(({ steps }) => steps.some(({ policy }) => policy));
  const shown = hasPolicy ? columns.toSpliced(2, 0, policyColumn) : columns;
  return (
    <table className="w-full border-collapse tabular-nums">
      <thead className="sticky top-0 bg-surface">
        <tr>
          {shown.map((name) => (
            <th
              key={name}
              scope="col"
              className="h-8 px-3 text-left text-12 font-medium whitespace-nowrap text-ink-3 first:pl-4"
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {executions.map((execution) => (
          <Fragment key={execution.execution_id}>
            <tr className="bg-bg">
              <td colSpan={shown.length} className="h-8 px-4">
                <b className="font-semibold">{`Attempt ${execution.attempt}`}</b>
                <span className="mx-3 text-ink-3">{`agent ${execution.agent_id.slice(0, 8)} on ${execution.host_id ?? 'no host'}`}</span>
                {execution.outcome === 'interrupted' && (
                  <Chip tone="bad">{`Agent lost${execution.finished_at ? ` at ${describeTimeOfDay(execution.finished_at, true)}` : ''}`}</Chip>
                )}
              </td>
            </tr>
            {execution.steps.map((step) => (
              <Attempt key={`${step.step_id} ${step.intent_at}`} step={step} axis={axis} hasPolicy={hasPolicy} />
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function Attempt({ step, axis, hasPolicy }: { step: ExecutionStep; axis: Axis; hasPolicy: boolean }) {
  const [word, colour] = isAsking({ ...step, verdict: step.policy }) ? (['asked', ''] as const) : states[step.status];
  const from = Date.parse(step.intent_at);
  const to = step.effect_at ? Date.parse(step.effect_at) : axis.to;
  const share = (time: number) => Math.min(100, Math.max(0, ((time - axis.from) / (axis.to - axis.from)) * 100));
  const cell = 'h-7 px-3 whitespace-nowrap';
  return (
    <tr className="border-t border-line">
      <td className={cx(cell, 'pl-4 text-ink-3')}>{step.index}</td>
      <td className={cx(cell, 'max-w-80 truncate')} dir="auto" title={step.error ?? undefined}>
        {step.title}
      </td>
      {hasPolicy && <td className={cx(cell, 'max-w-80')}>{step.policy && <VerdictLine verdict={step.policy} />}</td>}
      <td className={cx(cell, colour)}>{word}</td>
      <td className={cx(cell, 'font-mono text-12')}>{describeTimeOfDay(step.intent_at, true)}</td>
      <td className={cx(cell, 'font-mono text-12')}>
        {step.effect_at ? describeTimeOfDay(step.effect_at, true) : '–'}
      </td>
      <td className={cell}>{describeSpan(step.wait_ms)}</td>
      <td className={cell}>{step.status === 'running' ? '–' : describeSpan(step.run_ms)}</td>
      <td className={cx(cell, 'w-2/5')}>
        <span className="relative block h-2 rounded-full bg-sunken">
          <span
            className={cx(
              'absolute h-full min-w-1 rounded-full',
              step.status === 'failed' || step.status === 'interrupted' ? 'band-failed' : 'band-agent',
            )}
            style={{ left: `${share(from)}%`, width: `${Math.max(0.4, share(to) - share(from))}%` }}
          />
        </span>
      </td>
    </tr>
  );
}
