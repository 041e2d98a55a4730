// Checks the schema that a result has to fit, before a task is taken for it. An agent compiles it again at the end.

import { z } from 'zod';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

const maxChars = 20_000;
/** A pattern can take longer than a life to be matched, and would stop every task of the agent that matches it. */
const patterns = new Set(['pattern', 'patternProperties']);

/** Why no result can be checked against it; undefined where it can. */
export function schemaProblem(schema: object): string | undefined {
  if (JSON.stringify(schema).length > maxChars) return `must have at most ${maxChars} characters`;
  const refused = patternIn(schema);
  if (refused) return `must not use ${refused}: an agent does not match patterns of others`;
  try {
    z.fromJSONSchema(schema as Schema);
    return undefined;
  } catch (error) {
    return `cannot be used: ${error instanceof Error ? error.message : 'unknown reason'}`;
  }
}

/** Also where a property is named so: such a name is rare, and the check stays simple. */
function patternIn(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (patterns.has(key)) return `"${key}"`;
    if (key === 'format' && inner === 'regex') return '"format": "regex"';
    const found = patternIn(inner);
    if (found) return found;
  }
  return undefined;
}
