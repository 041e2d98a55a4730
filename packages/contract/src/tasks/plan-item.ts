// The plan in words that a model proposes before it acts. A person agrees to it, or changes it.

import { z } from 'zod';
import { text } from '../types/text.ts';

export const maxPlanItems = 12;
export const planItemChars = 200;

/** One thing that the model intends, and the site on which it is done, where the model knows it. */
export const PlanItem = z.object({ text: z.string(), site: z.string().optional() }).meta({ id: 'PlanItem' });
export type PlanItem = z.infer<typeof PlanItem>;

/** A plan as a person wants it, item by item. */
export const ChangedPlan = z.array(text(planItemChars, 1)).min(1).max(maxPlanItems);
