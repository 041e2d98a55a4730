// Every small change of a source file that its tests ought to notice. Pure: text in, changed texts out.
import { parseSync } from '@swc/core';

export type Mutant = { line: number; what: string; text: string };

type Span = { start: number; end: number };
type Node = { type?: string; span?: Span } & Record<string, unknown>;

const swapped: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
};
/** One call for another, or none. */
const calls: Record<string, string | null> = {
  some: 'every',
  every: 'some',
  filter: null,
  trim: null,
  toLowerCase: null,
};

/** `isData`: names of constants whose words are data and no code. */
export function mutantsOf(source: string, isData: (name: string) => boolean = () => false): Mutant[] {
  const bytes = Buffer.from(source);
  // The parser counts bytes, from 1.
  const textOf = ({ start, end }: Span) => bytes.subarray(start - 1, end - 1).toString();
  const mutants: Mutant[] = [];
  const replace = (span: Span, by: string) => {
    const before = bytes.subarray(0, span.start - 1).toString();
    const what = `${textOf(span).replace(/\s+/g, ' ').slice(0, 60)} → ${by.slice(0, 60)}`;
    mutants.push({ line: before.split('\n').length, what, text: before + by + bytes.subarray(span.end - 1) });
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const item of node) visit(item);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const one = node as Node;
    if (isNoCode(one, isData)) return;
    change(one, replace, textOf);
    // A key of an object is a name, which the compiler holds.
    for (const [key, value] of Object.entries(one)) if (key !== 'key') visit(value);
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'esnext' }));
  return mutants;
}

function isNoCode({ type = '', id }: Node, isData: (name: string) => boolean): boolean {
  if (
    type.startsWith('Ts') &&
    type !== 'TsAsExpression' &&
    type !== 'TsSatisfiesExpression' &&
    type !== 'TsNonNullExpression'
  )
    return true;
  if (type.startsWith('Import') || type.startsWith('ExportNamed')) return true;
  const name = (id as { value?: unknown } | undefined)?.value;
  return type === 'VariableDeclarator' && typeof name === 'string' && isData(name);
}

type Replace = (span: Span, by: string) => void;

function change(node: Node, replace: Replace, textOf: (span: Span) => string): void {
  const { type, span } = node;
  const part = (name: string) => node[name] as Node & { span: Span };
  if (!span) return;
  if (type === 'BinaryExpression') {
    const by = swapped[String(node.operator)];
    const between = { start: part('left').span.end, end: part('right').span.start };
    if (by) replace(between, textOf(between).replace(String(node.operator), by));
  } else if (type === 'UnaryExpression' && node.operator === '!') replace(span, textOf(part('argument').span));
  else if (type === 'BooleanLiteral') replace(span, String(!node.value));
  else if (type === 'IfStatement' || type === 'ConditionalExpression') {
    replace(part('test').span, 'true');
    replace(part('test').span, 'false');
  } else if (type === 'NumericLiteral') replace(span, String(Number(node.value) + 1));
  else if (type === 'StringLiteral' && node.value !== '') replace(span, "''");
  else if (type === 'ArrayExpression' && (node.elements as unknown[]).length > 0) replace(span, '[]');
  else if (type === 'CallExpression') changeCall(node, replace, textOf);
}

function changeCall({ span, callee }: Node, replace: Replace, textOf: (span: Span) => string): void {
  const { type, object, property } = callee as Node & Record<'object' | 'property', Node & { span: Span }>;
  if (type !== 'MemberExpression' || !span) return;
  const by = calls[String(property.value)];
  if (by === null) replace(span, textOf(object.span));
  else if (by !== undefined) replace(property.span, by);
}
