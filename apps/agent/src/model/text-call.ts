// A call of a tool that a model wrote as JSON into its text, as small local models do. Takes one call, no more.

import { z } from 'zod';
import type { ToolDefinition } from './types.ts';

const written = z.object({
  name: z.string().optional(),
  tool: z.string().optional(),
  function: z.union([z.string(), z.object({ name: z.string(), arguments: z.unknown().optional() })]).optional(),
  arguments: z.unknown().optional(),
  parameters: z.unknown().optional(),
  input: z.unknown().optional(),
});

/** A call is short; longer text is not searched. */
const maxText = 20_000;
const thinking = /<think>[\s\S]*?<\/think>/g;
/** A block at the end of the text, or the whole text. Words before a block are the model's goal. */
const shapes = [
  /^(?<words>(?:(?!```)[\s\S])*)```(?:json|tool_call)?\s*(?<json>\{(?:(?!```)[\s\S])*\})\s*```\s*$/,
  /^(?<words>(?:(?!<tool_call>)[\s\S])*)<tool_call>\s*(?<json>\{(?:(?!<tool_call>)[\s\S])*\})\s*(?:<\/tool_call>)?\s*$/,
  /^(?<words>\s*)(?<json>\{[\s\S]*\})\s*$/,
];

/** Undefined where the text is no call of a known tool: then it is text. */
export function callInText(
  text: string,
  tools: ToolDefinition[],
): { name: string; input: unknown; words: string } | undefined {
  if (text.length > maxText) return undefined;
  const said = text.replace(thinking, '').trim();
  for (const shape of shapes) {
    const { words = '', json } = shape.exec(said)?.groups ?? {};
    const call = json === undefined ? undefined : readCall(json);
    if (call && tools.some(({ name }) => name === call.name)) return { ...call, words: words.trim() };
  }
  return undefined;
}

function readCall(json: string): { name: string; input: unknown } | undefined {
  const read = written.safeParse(parsed(json));
  if (!read.success) return undefined;
  const { name, tool, function: named, arguments: args, parameters, input } = read.data;
  const inner = typeof named === 'object' ? named : undefined;
  const called = name ?? tool ?? inner?.name ?? (typeof named === 'string' ? named : undefined);
  if (called === undefined) return undefined;
  const given = args ?? parameters ?? input ?? inner?.arguments ?? {};
  return { name: called, input: typeof given === 'string' ? (parsed(given) ?? given) : given };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
