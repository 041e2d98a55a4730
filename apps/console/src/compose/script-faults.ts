// What the parser cannot read of a script: the line is marked, and the words stand under it.

import { type Diagnostic, linter, setDiagnosticsEffect } from '@codemirror/lint';
import { type EditorState, type Extension, type Range, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { parseScript, type ScriptError } from '@pilothouse/contract/script';

export type ScriptCheck = { steps: number; irreversible: number; errors: ScriptError[] };

export function checkScript(text: string): ScriptCheck {
  const parsed = parseScript(text);
  if (!parsed.ok) return { steps: 0, irreversible: 0, errors: parsed.errors };
  const irreversible = parsed.steps.filter((step) => step.irreversible).length;
  return { steps: parsed.steps.length, irreversible, errors: [] };
}

/** Long enough that a line is not called wrong while it is being written. */
const delayMs = 600;

export function scriptFaults(onCheck: (check: ScriptCheck) => void): Extension {
  const source = ({ state }: EditorView): Diagnostic[] => {
    const check = checkScript(state.doc.toString());
    onCheck(check);
    return check.errors.map((error) => ({ ...placeOf(state, error), severity: 'error', message: error.message }));
  };
  return [linter(source, { delay: delayMs }), faultLines];
}

/** The word at the column; an empty place where something is missing. */
function placeOf({ doc }: EditorState, { line, column }: ScriptError): { from: number; to: number } {
  const { from, to, text } = doc.line(Math.min(line, doc.lines));
  const start = Math.min(from + column - 1, to);
  return { from: start, to: start + (/^\S*/.exec(text.slice(start - from))?.[0].length ?? 0) };
}

class Fault extends WidgetType {
  readonly words: string;

  constructor(words: string) {
    super();
    this.words = words;
  }

  override eq(other: Fault): boolean {
    return other.words === this.words;
  }

  toDOM(): HTMLElement {
    const box = document.createElement('div');
    box.className = 'script-fault';
    box.dir = 'auto';
    box.textContent = this.words;
    return box;
  }
}

const faultLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { effects, changes, state }) {
    const found = effects.find((effect) => effect.is(setDiagnosticsEffect));
    return found ? drawFaults(state, found.value) : shown.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function drawFaults({ doc }: EditorState, faults: readonly Diagnostic[]): DecorationSet {
  const drawn = faults.flatMap(({ from, message }): Range<Decoration>[] => {
    const line = doc.lineAt(from);
    return [
      Decoration.line({ class: 'script-bad-line' }).range(line.from),
      Decoration.widget({ widget: new Fault(message), block: true, side: 1 }).range(line.to),
    ];
  });
  return Decoration.set(drawn, true);
}
