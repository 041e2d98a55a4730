// The script language alone, for an editor: parser, table of instructions, and what each part of a line is. It is an
// entry of its own so that a page which loads it does not load every schema of the contract.

import './without-eval.ts';

export { instructions } from './instructions.ts';
export { variableName } from './lexer.ts';
export { describeLine, type LineMark, type MarkKind, markLine, otherLines, suggestNext } from './mark-line.ts';
export { isMeantAsScript, isScript, type ParsedScript, parseScript, type ScriptError } from './parse.ts';
