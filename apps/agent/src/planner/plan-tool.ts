// The tool by which a model gives its plan before it acts, and the check of what it gives.

import { maxPlanItems, type PlanItem, planItemChars } from '@pilothouse/contract';
import { z } from 'zod';
import type { ModelCall, ToolDefinition } from '../model/types.ts';

const siteChars = 253;

const PlanInput = z.object({
  items: z
    .array(
      z.object({
        text: z.string().min(1).max(planItemChars).describe('One thing that will be done, in plain words'),
        site: z.string().max(siteChars).optional().describe('The site on which it is done, such as shop.example'),
      }),
    )
    .min(1)
    .max(maxPlanItems),
});

export const planTool: ToolDefinition = {
  name: 'plan',
  description: 'Say what will be done, in order.',
  schema: PlanInput,
};

/** The items of the plan, or why the answer has none that can be used. */
export function planIn(calls: readonly ModelCall[]): PlanItem[] | string {
  const call = calls.find(({ name }) => name === planTool.name);
  if (!call) return 'You did not call the tool plan.';
  if (call.invalid !== undefined) return call.invalid;
  const read = PlanInput.safeParse(call.input);
  if (!read.success) return `The input does not fit: ${read.error.issues[0]?.message ?? 'unknown'}.`;
  const items = read.data.items.map(({ text, site = '' }) => ({ text: oneLine(text), site: oneLine(site) }));
  if (items.some(({ text }) => text === '')) return 'An item of the plan has no words.';
  return items.map(({ text, site }) => (site === '' ? { text } : { text, site }));
}

/** One line an item: what the model says stays between the numbers. What cannot be stored is left out. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
