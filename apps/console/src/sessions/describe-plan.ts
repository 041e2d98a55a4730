// The steps of a plan in words, for those that are still to come.

import type { TaskDetail } from '../live/api-types.ts';

type PlannedStep = NonNullable<TaskDetail['plan']>['steps'][number];

const verbs: Record<PlannedStep['action'], string> = {
  navigate: 'Open',
  back: 'Go back',
  forward: 'Go forward',
  reload: 'Load again',
  click: 'Click',
  double_click: 'Double click',
  hover: 'Point at',
  type: 'Type into',
  press: 'Press',
  select: 'Select in',
  check: 'Check',
  upload: 'Upload into',
  scroll: 'Scroll',
  drag: 'Drag',
  wait: 'Wait',
  extract: 'Extract',
  screenshot: 'Take a picture',
  new_page: 'Open a tab',
  close_page: 'Close a tab',
  focus_page: 'Go to a tab',
  answer_dialog: 'Answer the dialog',
  download: 'Download',
  ask: 'Ask',
};

/** Typed text is left out: it may be a password. */
export function describePlan(steps: readonly PlannedStep[] | undefined): string[] {
  return (steps ?? []).map(describeStep);
}

function describeStep(step: PlannedStep): string {
  if (step.title) return step.title;
  const verb = verbs[step.action];
  if ('url' in step && step.url) return `${verb} ${step.url}`;
  if (step.action === 'press') return `${verb} ${step.key}`;
  if (step.action === 'ask') return `${verb}: ${step.question}`;
  const name = 'target' in step ? nameOf(step.target) : undefined;
  return name ? `${verb} “${name}”` : verb;
}

function nameOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!target || typeof target !== 'object') return undefined;
  const named = target as Record<string, unknown>;
  const name = named.name ?? named.label ?? named.text;
  return typeof name === 'string' ? name : undefined;
}
