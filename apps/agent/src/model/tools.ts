// Tools as the vendors get them, and the check of what a model calls them with. Runs no tool.

import { z } from 'zod';
import type { ModelCall, ToolDefinition } from './types.ts';

export type JsonObject = Record<string, unknown>;

const made = new WeakMap<z.ZodObject, JsonObject>();
const maxProblems = 3;
const maxReason = 300;

/** Without references: some vendors do not follow them. The same text every time, as it is part of the cached prefix. */
export function jsonSchemaOf(schema: z.ZodObject): JsonObject {
  const known = made.get(schema);
  if (known) return known;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'inline' });
  made.set(schema, rest);
  return rest;
}

/** The call with its input as the schema reads it, or with the reason why it cannot be run. */
export function checkCall(call: ModelCall, tools: ToolDefinition[]): ModelCall {
  if (call.invalid !== undefined) return call;
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) return { ...call, invalid: unknownTool(call.name, tools) };
  const read = tool.schema.safeParse(call.input);
  if (read.success) return { ...call, input: read.data };
  const problems = read.error.issues
    .slice(0, maxProblems)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
  return { ...call, invalid: shorten(`The input does not fit: ${problems.join('; ')}`) };
}

export const unknownTool = (name: string, tools: ToolDefinition[]) =>
  shorten(`There is no tool ${JSON.stringify(name.slice(0, 60))}. Tools: ${tools.map((tool) => tool.name).join(', ')}`);

const shorten = (text: string) => (text.length > maxReason ? `${text.slice(0, maxReason - 1)}…` : text);
