// What can be written next in a script, from the table of instructions that the parser reads with.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from '@codemirror/autocomplete';
import { instructions, otherLines, suggestNext, variableName } from '@pilothouse/contract/script';

/** A shape as a snippet: each `…` is a blank that is filled in turn. */
const toSnippet = (shape: string) => shape.replace(/[{}]/g, (brace) => `\\${brace}`).replaceAll('…', () => '#{}');

const beginnings: Completion[] = [...instructions, ...otherLines].flatMap(({ phrases, shape }) =>
  phrases.map((phrase, index) =>
    snippetCompletion(toSnippet(shape.replace(phrases[0], () => phrase)), {
      label: phrase,
      detail: shape.slice(phrases[0].length).trim(),
      boost: index === 0 ? 1 : 0,
    }),
  ),
);

export function completeScript({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const opened = /\{([^{}\s"]*)$/.exec(before);
  if (opened) return completeVariable(state.doc.sliceString(0, line.from), pos - (opened[1]?.length ?? 0));
  const next = suggestNext(before);
  const [typed = ''] = /[^\s"“”„«»!]*$/.exec(before) ?? [];
  if (typed === '' && !explicit) return null;
  if (!next.isBeginning) {
    if (next.words.length === 0) return null;
    return { from: pos - typed.length, options: next.words.map((label) => ({ label })), validFor: /^[\w-]*$/ };
  }
  return { from: pos - typed.length, options: beginnings, validFor: /^[\w-]*(?: [\w-]*)*$/ };
}

function completeVariable(above: string, from: number): CompletionResult {
  const given = above.matchAll(new RegExp(`^\\s*let\\s+(${variableName.source})\\s*=`, 'gimu'));
  const names = new Set([...given].map(([, name = '']) => name));
  return { from, options: [...names].map((label) => ({ label, apply: `${label}}` })), validFor: /^[\p{L}\p{N}_-]*$/u };
}
