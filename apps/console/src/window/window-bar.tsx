// The tabs and the address of the browser. The address can be written into while the person drives.

import {
  ArrowLeft,
  ArrowRight,
  Camera,
  EyeOff,
  Globe,
  Layers,
  Lock,
  Maximize,
  Plus,
  Proportions,
  RotateCw,
  X,
} from 'lucide-react';
import { type FormEvent, memo, useEffect, useState } from 'react';
import type { BrowserRoute, OpenPage, PointerAction } from '../live/api-types.ts';
import { cx } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

export type WindowTools = {
  marks: boolean;
  onMarks: () => void;
  isActualSize: boolean;
  onActualSize: () => void;
  /** Absent for guests: they keep nothing. */
  onKeepPicture?: () => void;
  onFullScreen: () => void;
};

type TabStripProps = {
  pages: readonly OpenPage[];
  current: BrowserRoute;
  /** While the person drives. */
  onInput: ((action: PointerAction) => void) | undefined;
};

/** Viewers read it; the person who drives switches, closes and opens. */
export const TabStrip = memo(function TabStrip({ pages, current, onInput }: TabStripProps) {
  const shown: readonly OpenPage[] = pages.length > 0 ? pages : current.url === null ? [] : [current];
  const hasProgram = pages.some((page) => page.open_to_program || page.private_tab);
  return (
    <div className="flex h-9 shrink-0 items-end gap-0.5 overflow-hidden bg-sunken px-2 narrow:hidden">
      <ul aria-label="Tabs of the browser" className="flex min-w-0 gap-0.5">
        {shown.map((page) => (
          <BrowserTab
            key={page.page ?? page.url}
            page={page}
            isCurrent={page.page === current.page}
            onInput={onInput}
            canClose={shown.length > 1}
          />
        ))}
      </ul>
      {onInput && (
        <Tool icon={Plus} label="New tab" onClick={() => onInput({ action: 'new_page' })} className="mb-0.5" />
      )}
      {onInput && hasProgram && (
        <Tool
          icon={EyeOff}
          label="New private tab, which the program does not see"
          onClick={() => onInput({ action: 'new_private_page' })}
          className="mb-0.5"
        />
      )}
    </div>
  );
});

type BrowserTabProps = Pick<TabStripProps, 'onInput'> & { page: OpenPage; isCurrent: boolean; canClose: boolean };

function BrowserTab({ page, isCurrent, onInput, canClose }: BrowserTabProps) {
  const name = page.title || hostOf(page.url) || 'New tab';
  const id = page.page;
  const className = 'flex h-full min-w-0 flex-1 items-center gap-2 px-2.5 text-left';
  const words = (
    <>
      <span
        aria-hidden
        className="grid size-3.5 shrink-0 place-items-center rounded-[3px] bg-ink-3 text-[9px] font-semibold text-surface"
      >
        {page.private_tab ? (
          <EyeOff size={10} strokeWidth={2.5} />
        ) : (
          (hostOf(page.url) ?? '·').slice(0, 1).toUpperCase()
        )}
      </span>
      {page.private_tab && <span className="sr-only">Private tab:</span>}
      <span className="truncate" dir="auto">
        {name}
      </span>
    </>
  );
  return (
    <li
      data-testid="tab"
      aria-current={isCurrent ? 'true' : undefined}
      title={name}
      className={cx(
        'flex h-[30px] w-[220px] min-w-0 items-center rounded-t-[8px] text-12',
        isCurrent ? 'bg-surface text-ink' : 'text-ink-2',
      )}
    >
      {onInput && id !== null && !isCurrent ? (
        <button type="button" onClick={() => onInput({ action: 'focus', page: id })} className={className}>
          {words}
        </button>
      ) : (
        <span className={className}>{words}</span>
      )}
      {onInput && canClose && id !== null && (
        <button
          type="button"
          aria-label={`Close ${name}`}
          onClick={() => onInput({ action: 'close_page', page: id })}
          className="mr-1.5 grid size-6 shrink-0 place-items-center rounded-1 text-ink-3 hover:bg-hover hover:text-ink"
        >
          <X size={12} strokeWidth={2} aria-hidden />
        </button>
      )}
    </li>
  );
}

type AddressBarProps = { route: BrowserRoute; onInput: TabStripProps['onInput']; tools: WindowTools };

export const AddressBar = memo(function AddressBar({ route, onInput, tools }: AddressBarProps) {
  const press = (action: 'back' | 'forward' | 'reload') => ({
    disabled: !onInput,
    onClick: () => onInput?.({ action }),
  });
  return (
    <div className={cx('flex h-10 shrink-0 items-center gap-1 border-b border-line px-2', !onInput && 'narrow:hidden')}>
      <Tool icon={ArrowLeft} label="Back" {...press('back')} />
      <Tool icon={ArrowRight} label="Forward" {...press('forward')} className="narrow:hidden" />
      <Tool icon={RotateCw} label="Load again" {...press('reload')} />
      {onInput ? <AddressField route={route} onInput={onInput} /> : <Address route={route} />}
      <Tool
        icon={Layers}
        label="Marks on the picture"
        isOn={tools.marks}
        onClick={tools.onMarks}
        className="narrow:hidden"
      />
      <Tool
        icon={Proportions}
        label="Fit or actual size"
        isOn={tools.isActualSize}
        onClick={tools.onActualSize}
        className="narrow:hidden"
      />
      {tools.onKeepPicture && (
        <Tool icon={Camera} label="Keep this picture" onClick={tools.onKeepPicture} className="narrow:hidden" />
      )}
      <Tool icon={Maximize} label="Full screen" onClick={tools.onFullScreen} className="narrow:hidden" />
    </div>
  );
});

const pill = 'mx-1 flex h-7 min-w-0 flex-1 items-center gap-2 rounded-full px-2.5 text-12 text-ink-3';

export function Address({ route }: { route: BrowserRoute }) {
  const parts = partsOf(route.url);
  const Icon = route.url?.startsWith('https:') ? Lock : Globe;
  return (
    <span data-testid="address" className={cx(pill, 'bg-bg')}>
      <Icon size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <span className="truncate" dir="ltr">
        <b className="font-medium text-ink">{parts.host}</b>
        {parts.rest}
      </span>
    </span>
  );
}

/** Keys written here go nowhere before Enter. */
function AddressField({ route, onInput }: { route: BrowserRoute; onInput: (action: PointerAction) => void }) {
  const [text, setText] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page went elsewhere, so the field shows that
  useEffect(() => setText(undefined), [route.url]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = toWebAddress(text ?? '');
    if (url) onInput({ action: 'navigate', url });
    setText(undefined);
  };
  return (
    <form
      onSubmit={submit}
      className={cx(
        pill,
        'bg-surface inset-ring-1 inset-ring-control focus-within:inset-ring-2 focus-within:inset-ring-agent',
      )}
    >
      <Globe size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <input
        aria-label="Address"
        data-testid="address-field"
        dir="ltr"
        spellCheck={false}
        autoComplete="off"
        value={text ?? route.url ?? ''}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => setText(undefined)}
        className="min-w-0 flex-1 bg-transparent text-12 text-ink outline-none"
      />
    </form>
  );
}

type ToolProps = {
  icon: typeof Layers;
  label: string;
  isOn?: boolean;
  disabled?: boolean;
  className?: string;
  onClick: () => void;
};

export function Tool({ icon: Icon, label, isOn, disabled, className, onClick }: ToolProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={isOn}
        disabled={disabled}
        onClick={onClick}
        className={cx(
          'grid size-7 shrink-0 place-items-center rounded-2 disabled:text-line-2',
          isOn ? 'bg-agent-soft text-agent-ink' : 'text-ink-2 enabled:hover:bg-hover enabled:hover:text-ink',
          className,
        )}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </button>
    </Tooltip>
  );
}

export const hostOf = (url: string | null): string | undefined => (url ? partsOf(url).host || undefined : undefined);

function partsOf(url: string | null): { host: string; rest: string } {
  if (!url) return { host: '', rest: '' };
  if (!URL.canParse(url)) return { host: url, rest: '' };
  const { host, pathname, search, hash, protocol } = new URL(url);
  if (!host) return { host: protocol, rest: url.slice(protocol.length) };
  const rest = `${pathname}${search}${hash}`;
  return { host, rest: rest === '/' ? '' : rest };
}

/** What a person means by a few letters in an address bar; undefined for what is no address. */
function toWebAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const url = /^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  return trimmed !== '' && URL.canParse(url) ? url : undefined;
}
