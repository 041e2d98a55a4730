// The script editor: CodeMirror with the script language of the contract. Loaded only when a script is written.

import './script-editor.css';
import {
  acceptCompletion,
  autocompletion,
  clearSnippet,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { completeScript } from './script-completion.ts';
import { checkScript, type ScriptCheck, scriptFaults } from './script-faults.ts';
import { scriptMarks } from './script-marks.ts';
import { scriptTooltips } from './script-tooltips.ts';

export type ScriptEditorOptions = {
  parent: HTMLElement;
  text: string;
  caret: number;
  id: string;
  label: string;
  describedBy: string;
  placeholder: string;
  maxLength: number;
  /** Of the page's policy: the editor adds a style element. */
  nonce: string | undefined;
  onChange: (text: string) => void;
  onRun: () => void;
  onCheck: (check: ScriptCheck) => void;
};

export function createScriptEditor(options: ScriptEditorOptions) {
  const { parent, text, caret } = options;
  const anchor = Math.min(caret, text.length);
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: text, selection: { anchor }, extensions: extensionsOf(options) }),
  });
  return {
    focus: () => view.focus(),
    setText(next: string) {
      if (next !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    /** Lines and columns are counted from 1. */
    goTo(line: number, column: number) {
      const { from, to } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      view.dispatch({ selection: { anchor: Math.min(from + column - 1, to) }, scrollIntoView: true });
      view.focus();
    },
    check: () => checkScript(view.state.doc.toString()),
    close: () => view.destroy(),
  };
}

export type ScriptEditor = ReturnType<typeof createScriptEditor>;

function extensionsOf(options: ScriptEditorOptions): Extension[] {
  const { id, label, describedBy, maxLength, nonce, onChange, onCheck } = options;
  return [
    nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
    keysOf(options.onRun),
    history(),
    lineNumbers(),
    // Marks that reverse the direction of a line, and characters that cannot be seen.
    highlightSpecialChars(),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    EditorView.contentAttributes.of({
      id,
      'aria-label': label,
      'aria-describedby': describedBy,
      spellcheck: 'false',
      autocorrect: 'off',
      autocapitalize: 'off',
    }),
    placeholder(options.placeholder),
    EditorState.changeFilter.of(
      (change) => change.newDoc.length <= maxLength || change.newDoc.length < change.startState.doc.length,
    ),
    autocompletion({ override: [completeScript], icons: false }),
    scriptMarks,
    scriptTooltips,
    scriptFaults(onCheck),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

/** Tab takes a suggestion or goes to the next blank of one; else it leaves the editor, and after Escape always. */
function keysOf(onRun: () => void): Extension {
  return Prec.highest(
    keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          onRun();
          return true;
        },
      },
      {
        key: 'Escape',
        run: (view) => {
          const isClosed = closeCompletion(view);
          return clearSnippet(view) || isClosed;
        },
      },
      { key: 'Tab', run: acceptCompletion },
      { key: 'F8', run: nextDiagnostic, shift: previousDiagnostic },
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
  );
}
