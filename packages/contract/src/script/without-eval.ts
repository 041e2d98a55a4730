// Schemas check without functions made from text, which the policy of a page forbids. Imported before any schema is made.

import { config } from 'zod';

config({ jitless: true });
