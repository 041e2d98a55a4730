// Colours the parts of a script, line by line, only where it is seen.

import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { type LineMark, markLine } from '@pilothouse/contract/script';

const kinds: LineMark['kind'][] = ['instruction', 'word', 'text', 'variable', 'comment', 'mark'];
const decorations = new Map(kinds.map((kind) => [kind, Decoration.mark({ class: `script-${kind}` })]));

/** Colouring a longer line would take longer than reading it. */
const maxMarked = 2000;

export const scriptMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = markVisible(view);
    }

    update({ view, docChanged, viewportChanged }: ViewUpdate) {
      if (docChanged || viewportChanged) this.decorations = markVisible(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function markVisible({ state, visibleRanges }: EditorView): DecorationSet {
  const built = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      for (const mark of markLine(line.text.slice(0, maxMarked))) {
        const decoration = decorations.get(mark.kind);
        if (decoration) built.add(line.from + mark.from, line.from + mark.to, decoration);
      }
      at = line.to + 1;
    }
  }
  return built.finish();
}
