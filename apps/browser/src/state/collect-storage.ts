// What the injected script collects of a site's storage, and within which limits.

import { z } from 'zod';
import type { CollectedStorage, CollectLimits } from '../dom/injected/collect-storage.ts';

export const collectLimits: CollectLimits = { maxChars: 4 * 1024 * 1024, batchSize: 200, maxDepth: 1000 };

export const Collected = z.object({
  origin: z.string(),
  localStorage: z.string(),
  indexedDB: z.string(),
  cut: z.array(z.enum(['local storage', 'databases'])),
  chars: z.number(),
}) satisfies z.ZodType<CollectedStorage>;
