import { z } from 'zod';

/** How many, or which in order: never negative, never beyond what JSON carries exactly. */
export const Count = z.int().min(0);
