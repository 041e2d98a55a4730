// Counts and indexes.

import { z } from 'zod';

/** Never negative, and never larger than JSON represents exactly. */
export const Count = z.int().min(0);
