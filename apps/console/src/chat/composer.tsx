// Where a person says what should be done. Sends it, and goes to the session that does it.

import type { CallerCapabilities } from '@pilothouse/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CodeXml, Sparkle } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { capabilitiesQuery } from '../api/queries.ts';
import { describeError, isWithoutModel, readScriptFaults, type ScriptFault } from '../api/words.ts';
import { isMac, useShortcuts } from '../common/shortcuts.ts';
import { Button } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Segmented } from '../ui/segmented.tsx';

type Mode = 'ask' | 'script';
const modes = [
  { value: 'ask', label: 'Ask', icon: Sparkle },
  { value: 'script', label: 'Script', icon: CodeXml },
] as const;
const placeholders = {
  ask: 'Compare the fares of all ferries to Harwich in March, as a table',
  script: 'open https://example.com\nclick "More information"\nwait for "Domains"\nscreenshot',
};

export function Composer() {
  const [mode, setMode] = useState<Mode>('script');
  const [prompt, setPrompt] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const navigate = useNavigate();
  const { data: offered } = useQuery(capabilitiesQuery);
  const caller = offered?.caller;
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => client.sendChat({ prompt, planner: mode === 'script' ? 'script' : 'auto' }),
    onSuccess: ({ session_id, task_id }) =>
      navigate({ to: '/sessions/$id', params: { id: session_id }, search: { task: task_id } }),
  });
  const run = () => {
    if (prompt.trim() && !isPending) mutate();
    else field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    run();
  };
  useShortcuts({ c: () => field.current?.focus() });
  const writeScript = () => {
    setMode('script');
    reset();
    field.current?.focus();
  };
  return (
    <div className="mx-auto max-w-[800px] narrow:mt-4">
      <div className="rounded-4 border border-control bg-surface focus-within:border-agent">
        <textarea
          ref={field}
          aria-label={mode === 'script' ? 'Script, one instruction a line' : 'What should be done?'}
          aria-describedby="composer-problems"
          rows={mode === 'script' ? 5 : 3}
          maxLength={caller?.sizes.prompt_chars ?? 8000}
          dir="auto"
          spellCheck={mode === 'ask'}
          placeholder={placeholders[mode]}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
          onKeyDown={onKeyDown}
          className={`block max-h-[50dvh] w-full resize-none rounded-t-4 bg-transparent px-4 pt-4 outline-none field-sizing-content ${mode === 'script' ? 'min-h-26 font-mono text-13' : 'min-h-16 text-16'}`}
        />
        <div className="flex items-center gap-2 p-2">
          <Segmented label="How it is read" value={mode} options={modes} onChange={setMode} />
          <span className="min-w-0 flex-1 truncate text-12 text-ink-3">{caller && describeLimits(caller, mode)}</span>
          <Button look="primary" size="lg" onClick={run} disabled={isPending}>
            Run
            <Kbd className="border-transparent! bg-transparent! text-current! narrow:hidden">
              {isMac ? '⌘⏎' : 'Ctrl ⏎'}
            </Kbd>
          </Button>
        </div>
      </div>
      <div id="composer-problems" role="alert">
        {error && (
          <Problems
            error={error}
            onLine={(fault) => pointAt(field.current, fault)}
            onScript={writeScript}
            mode={mode}
          />
        )}
      </div>
    </div>
  );
}

/** What will keep it from running at once; empty if nothing does. */
function describeLimits({ planners, quotas: { open_tasks } }: CallerCapabilities, mode: Mode): string {
  if (mode === 'ask' && !planners.includes('llm')) return 'No model is configured: only scripts run.';
  return open_tasks.used >= open_tasks.limit ? `All ${open_tasks.limit} tasks that you may have are open.` : '';
}

type ProblemsProps = { error: Error; mode: Mode; onLine: (fault: ScriptFault) => void; onScript: () => void };

function Problems({ error, mode, onLine, onScript }: ProblemsProps) {
  const box = 'mt-3 rounded-3 bg-surface p-3 ring-1 ring-line';
  if (mode === 'ask' && isWithoutModel(error))
    return (
      <div className={box}>
        <p className="font-semibold">No model is configured</p>
        <p className="text-ink-2">Scripts run without one: one instruction a line.</p>
        <Button size="sm" className="mt-2" onClick={onScript}>
          Write a script
        </Button>
      </div>
    );
  const faults = readScriptFaults(error);
  if (faults.length === 0) return <p className={`${box} text-bad-ink`}>{describeError(error)}</p>;
  return (
    <ul className={`${box} grid gap-1`}>
      {faults.map((fault) => (
        <li key={`${fault.line} ${fault.column}`} className="flex items-start gap-3">
          <button type="button" onClick={() => onLine(fault)} className="shrink-0 font-medium text-bad-ink underline">
            Line {fault.line}
          </button>
          <span className="whitespace-pre-line" dir="auto">
            {fault.message}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Puts the caret where the script could not be read. */
function pointAt(field: HTMLTextAreaElement | null, { line, column }: ScriptFault): void {
  if (!field) return;
  const before = field.value.split('\n').slice(0, line - 1);
  const at = before.join('').length + before.length + column - 1;
  field.focus();
  field.setSelectionRange(at, at);
}
