// node scripts/lengths.ts: fails where a source file or a function is too long to be one thought. Tests may be longer.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';
import { root } from '../testkit/stack/folders.ts';

const maxFileLines = 350;
const maxFunctionLines = 80;

const isSource = /^(packages|apps)\/[^/]+\/(src|testing)\/.*\.tsx?$|^(scripts|testkit|e2e|chaos|bench|deploy)\/.*\.ts$/;
const isExempt = /\.test\.ts$|\/generated\.ts$/;
/** In the tools of tests a function may hold a whole scenario: only their files are measured. */
const isTool = /\/testing\/|^(testkit|e2e|chaos|bench)\//;
/** Functions whose text is sent to a page stand alone, and cannot be split. */
const isInjected = /\/dom\/injected\//;

/** Too long, and one thought all the same: each with its reason. */
const excused: Record<string, string> = {};

type Node = { type?: string; span?: { start: number; end: number } };
const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'MethodProperty',
]);

const faults: string[] = [];
const met = new Set<string>();
for (const folder of ['packages', 'apps', 'scripts', 'testkit', 'e2e', 'chaos', 'bench', 'deploy'])
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    const path = relative(root, join(entry.parentPath, entry.name));
    if (entry.isFile() && isSource.test(path) && !isExempt.test(path)) checkFile(path);
  }
for (const name of Object.keys(excused)) if (!met.has(name)) faults.push(`${name} is excused and is not too long`);
for (const fault of faults) console.error(`lengths: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

function checkFile(path: string): void {
  const bytes = readFileSync(join(root, path));
  const lines = bytes.toString('utf8').split('\n').length - 1;
  report(path, lines, maxFileLines);
  if (isInjected.test(path) || isTool.test(path)) return;
  const tree = parseSync(bytes.toString('utf8'), {
    syntax: 'typescript',
    tsx: path.endsWith('.tsx'),
    target: 'esnext',
  });
  // The parser counts bytes, from 1.
  const lineOf = (at: number) =>
    bytes
      .subarray(0, at - 1)
      .toString('latin1')
      .split('\n').length;
  visit(tree, undefined, (node, name) => {
    if (!node.span || !functionTypes.has(node.type ?? '')) return;
    const [from, to] = [lineOf(node.span.start), lineOf(node.span.end)];
    report(`${path} ${name ?? `(line ${from})`}`, to - from + 1, maxFunctionLines);
  });
}

function report(name: string, lines: number, most: number): void {
  if (lines <= most) return;
  met.add(name);
  if (!(name in excused)) faults.push(`${name} has ${lines} lines, and may have ${most}`);
}

/** Every node of a tree, with the name that a function was given. */
function visit(node: unknown, name: string | undefined, tell: (node: Node, name: string | undefined) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, undefined, tell);
  else if (typeof node === 'object' && node !== null) {
    const own = nameOf(node) ?? name;
    tell(node, own);
    for (const [key, value] of Object.entries(node))
      if (typeof value === 'object')
        visit(value, ['init', 'value', 'declaration'].includes(key) ? own : nameOf(value), tell);
  }
}

/** Of a declaration, a variable or a property. */
function nameOf(node: unknown): string | undefined {
  const { identifier, id, key } = (node ?? {}) as Record<string, { value?: unknown } | undefined>;
  const value = (identifier ?? id ?? key)?.value;
  return typeof value === 'string' ? value : undefined;
}
