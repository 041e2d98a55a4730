// What the page asks of the person who drives, over the picture: frames do not show it.

import { useEffect, useRef, useState } from 'react';
import type { DriverView, PointerAction } from '../live/api-types.ts';
import { FileChooser } from './file-chooser.tsx';
import { PageDialog } from './page-dialog.tsx';
import { PageList } from './page-list.tsx';
import { placeBeside } from './place-beside.ts';
import { ValuePicker } from './value-picker.tsx';

type Size = { width: number; height: number };
type AskedLayerProps = {
  asked: DriverView;
  /** The host of the page; undefined where there is none. */
  host: string | undefined;
  /** The size of the page in CSS pixels, and of its picture here. */
  page: Size;
  picture: Size;
  onInput: (action: PointerAction) => void;
  /** Gives the keys back to the page. */
  onDone: () => void;
};

const rowPx = 28;
const listPx = 260;
const pickerSize = { width: 220, height: 84 };
/** What is answered and still asked after this time is shown again: the answer did not arrive. */
const againMs = 6000;

export function AskedLayer({ asked, host, page, picture, onInput, onDone }: AskedLayerProps) {
  const [answered, setAnswered] = useState<string>();
  const { dialog, file_chooser, select, picker } = withoutAnswered(asked, answered);
  const id = dialog?.dialog_id ?? file_chooser?.chooser_id ?? select?.select_id ?? picker?.picker_id;
  useKeysBack(id, onDone);
  useEffect(() => {
    if (answered === undefined) return;
    const timer = setTimeout(() => setAnswered(undefined), againMs);
    return () => clearTimeout(timer);
  }, [answered]);
  const answer = (action: PointerAction) => {
    setAnswered(id);
    onInput(action);
  };

  if (id === undefined) return null;
  const listHeight = Math.min(listPx, (select?.options.length ?? 0) * rowPx + 8);
  return (
    // Keys pressed here are not shortcuts of the console.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      data-testid="asked"
      className="pointer-events-none absolute inset-0 *:pointer-events-auto"
      onKeyDown={(event) => event.stopPropagation()}
    >
      {dialog ? (
        <PageDialog key={id} dialog={dialog} host={host} onInput={answer} />
      ) : file_chooser ? (
        <FileChooser key={id} chooser={file_chooser} onInput={answer} />
      ) : select ? (
        <PageList
          key={id}
          list={select}
          place={placeBeside(select.box, page, picture, { width: 140, height: listHeight })}
          onInput={answer}
        />
      ) : picker ? (
        <ValuePicker
          key={id}
          picker={picker}
          place={placeBeside(picker.box, page, picture, pickerSize)}
          onInput={onInput}
          onDone={onDone}
        />
      ) : null}
    </div>
  );
}

/** A picker stays as long as its field has the focus, so it closes by itself. */
function withoutAnswered({ dialog, file_chooser, select, picker }: DriverView, answered: string | undefined) {
  return {
    dialog: dialog?.dialog_id === answered ? null : dialog,
    file_chooser: file_chooser?.chooser_id === answered ? null : file_chooser,
    select: select?.select_id === answered ? null : select,
    picker,
  };
}

/** When something that had the focus is gone, the page has the keys again. */
function useKeysBack(id: string | undefined, onDone: () => void): void {
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    if (id === undefined) return;
    return () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) done.current();
      });
    };
  }, [id]);
}
