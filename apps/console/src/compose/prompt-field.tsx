// The field for a prompt or a script. It is a plain field, and becomes the script editor once that is loaded.

import { getNonce } from 'get-nonce';
import { type KeyboardEvent, type Ref, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { cx } from '../ui/class-names.ts';
import type { ScriptEditor } from './script-editor.ts';
import type { ScriptCheck } from './script-faults.ts';
import { useScriptEditor } from './use-script-editor.ts';

export type PromptHandle = {
  focus: () => void;
  /** Puts the caret there; lines and columns are counted from 1. */
  goTo: (line: number, column: number) => void;
  /** What the parser says of the script; undefined if the parser is not loaded. */
  check: () => ScriptCheck | undefined;
};

type PromptFieldProps = {
  ref: Ref<PromptHandle>;
  id: string;
  /** Whether the script editor is wanted. */
  isScript: boolean;
  value: string;
  label: string;
  placeholder: string;
  maxLength: number;
  describedBy: string;
  rows: number;
  /** Of the editor: in a narrow panel it is lower. */
  isSmall?: boolean;
  className: string;
  onChange: (text: string) => void;
  /** The keys that send: with the command key always, in the plain field as its owner decides. */
  onRun: () => void;
  isRunKey: (event: KeyboardEvent) => boolean;
  onCheck: (check: ScriptCheck | undefined) => void;
};

export function PromptField(props: PromptFieldProps) {
  const { ref, isScript, value, onChange, onRun, isRunKey } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<ScriptEditor>(undefined);
  const hasFocus = useRef(false);
  const caret = useRef(value.length);
  const script = useScriptEditor(isScript);
  useImperativeHandle(ref, () => ({
    focus: () => (editor.current ?? field.current)?.focus(),
    goTo: (line, column) => (editor.current ? editor.current.goTo(line, column) : pointAt(field.current, line, column)),
    check: () => editor.current?.check(),
  }));
  if (script)
    return (
      <EditorField {...props} create={script.createScriptEditor} editor={editor} hasFocus={hasFocus} caret={caret} />
    );
  return (
    <textarea
      ref={field}
      id={props.id}
      data-testid={props.id}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      rows={props.rows}
      maxLength={props.maxLength}
      dir="auto"
      spellCheck={!isScript}
      placeholder={props.placeholder}
      value={value}
      onChange={(event) => {
        caret.current = event.target.selectionStart;
        onChange(event.target.value);
      }}
      onSelect={(event) => {
        caret.current = event.currentTarget.selectionStart;
      }}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
      onKeyDown={(event) => {
        if (!isRunKey(event)) return;
        event.preventDefault();
        onRun();
      }}
      className={cx('block w-full resize-none bg-transparent outline-none field-sizing-content', props.className)}
    />
  );
}

type EditorFieldProps = PromptFieldProps & {
  create: typeof import('./script-editor.ts').createScriptEditor;
  editor: { current: ScriptEditor | undefined };
  hasFocus: { current: boolean };
  caret: { current: number };
};

function EditorField({ create, editor, hasFocus, caret, ...props }: EditorFieldProps) {
  const parent = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  current.current = props;
  const { label, placeholder, maxLength, describedBy, id, value, isSmall } = props;
  // In the moment in which the plain field goes: a key pressed before the editor has the focus would be lost.
  useLayoutEffect(() => {
    if (!parent.current) return;
    const made = create({
      parent: parent.current,
      text: current.current.value,
      caret: caret.current,
      id,
      label,
      describedBy,
      placeholder,
      maxLength,
      nonce: getNonce(),
      onChange: (text) => current.current.onChange(text),
      onRun: () => current.current.onRun(),
      onCheck: (check) => current.current.onCheck(check),
    });
    editor.current = made;
    // The person goes on writing where the plain field was.
    if (hasFocus.current) made.focus();
    return () => {
      made.close();
      editor.current = undefined;
      current.current.onCheck(undefined);
    };
  }, [create, editor, hasFocus, caret, id, label, describedBy, placeholder, maxLength]);
  // With the render that brings the text: later the editor may hold newer characters, and would lose them.
  useLayoutEffect(() => editor.current?.setText(value), [editor, value]);
  return <div ref={parent} data-testid="script-editor" className={cx('script-editor', isSmall && 'is-small')} />;
}

function pointAt(field: HTMLTextAreaElement | null, line: number, column: number): void {
  if (!field) return;
  const before = field.value.split('\n').slice(0, line - 1);
  const at = before.join('').length + before.length + column - 1;
  field.focus();
  field.setSelectionRange(at, at);
}
