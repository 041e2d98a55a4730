// Loads the script editor when it is first wanted.

import { useEffect, useState } from 'react';

type EditorModule = typeof import('./script-editor.ts');

let loaded: EditorModule | undefined;

/** Undefined while it is not wanted, not there yet, or could not be loaded: then a plain field does. */
export function useScriptEditor(isWanted: boolean): EditorModule | undefined {
  const [editor, setEditor] = useState(loaded);
  useEffect(() => {
    if (!isWanted || editor) return;
    let isGone = false;
    const load = async () => {
      try {
        loaded ??= await import('./script-editor.ts');
        if (!isGone) setEditor(loaded);
      } catch (error) {
        // A new release has replaced the file, or the network is away. The server still names what it cannot read.
        console.warn('The script editor could not be loaded.', error);
      }
    };
    void load();
    return () => {
      isGone = true;
    };
  }, [isWanted, editor]);
  return isWanted ? editor : undefined;
}
