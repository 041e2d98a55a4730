// The page asks for files: the person chooses them here, or none.

import { useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import type { DriverView, PointerAction } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { askedCard, useFocusOnce } from './asked-card.ts';
import { describeLimits, findFault, readGivenFiles } from './given-files.ts';

type FileChooserProps = {
  chooser: NonNullable<DriverView['file_chooser']>;
  onInput: (action: PointerAction) => void;
};

export function FileChooser({ chooser, onInput }: FileChooserProps) {
  const { chooser_id, multiple, accept } = chooser;
  const limits = useFileLimits();
  const [fault, setFault] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const focus = useFocusOnce<HTMLButtonElement>();
  const id = useId();

  const give = async (files: File[]) => {
    const found = limits && findFault(files, limits, multiple);
    setFault(found);
    if (found || files.length === 0) return;
    try {
      onInput({ action: 'choose_files', chooser_id, files: await readGivenFiles(files) });
    } catch {
      setFault('The file cannot be read.');
    }
  };
  const none = () => onInput({ action: 'choose_files', chooser_id, files: [] });
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    void give([...event.dataTransfer.files]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.shiftKey) return;
    event.preventDefault();
    none();
  };
  return (
    <div className="absolute inset-0 grid place-items-center bg-scrim p-2">
      <div
        role="dialog"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-limits`}
        data-testid="file-chooser"
        onKeyDown={onKeyDown}
        onDragOver={(event) => event.preventDefault()}
        onDrop={onDrop}
        className={askedCard}
      >
        <h2 id={`${id}-title`} className="font-semibold">
          {multiple ? 'The page asks for files' : 'The page asks for a file'}
        </h2>
        <div className="mt-2.5 grid justify-items-center gap-1.5 rounded-2 border border-dashed border-control p-4 text-ink-2">
          <Upload size={20} strokeWidth={1.75} aria-hidden />
          <Button size="sm" ref={focus} onClick={() => input.current?.click()}>
            {multiple ? 'Choose files' : 'Choose a file'}
          </Button>
          <p id={`${id}-limits`} className="text-center text-12 text-ink-3">
            {`Or drop it here. ${limits ? `${describeLimits(limits, multiple)}.` : ''}`}
          </p>
          {accept.length > 0 && (
            <p className="text-center text-12 text-ink-3">
              The page wants <bdi>{accept.join(', ')}</bdi>
            </p>
          )}
        </div>
        {fault && (
          <p role="alert" className="mt-2 text-12 wrap-anywhere text-bad-ink" dir="auto">
            {fault}
          </p>
        )}
        <HiddenInput input={input} multiple={multiple} accept={accept} onFiles={give} />
        <div className="mt-3 flex justify-end">
          <Button size="sm" onClick={none}>
            Choose none
          </Button>
        </div>
      </div>
    </div>
  );
}

type HiddenInputProps = {
  input: RefObject<HTMLInputElement | null>;
  multiple: boolean;
  accept: string[];
  onFiles: (files: File[]) => Promise<void>;
};

/** The browser's own chooser hangs on it. */
function HiddenInput({ input, multiple, accept, onFiles }: HiddenInputProps) {
  return (
    <input
      ref={input}
      type="file"
      hidden
      data-testid="chosen-files"
      multiple={multiple}
      accept={accept.join(',')}
      onChange={(event) => {
        void onFiles([...(event.target.files ?? [])]);
        // The same file can be chosen again.
        event.target.value = '';
      }}
    />
  );
}

/** Undefined until the server has said them; it refuses what does not fit all the same. */
function useFileLimits() {
  const { data } = useQuery({
    queryKey: ['capabilities', 'sizes'],
    queryFn: async ({ signal }) => (await client.getCapabilities({}, { signal })).caller?.sizes ?? null,
    staleTime: 600_000,
  });
  return data ? { files: data.files, bytes: data.chooser_files_bytes } : undefined;
}
