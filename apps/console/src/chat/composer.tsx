// Where a person says what should be done. Sends it, and goes to the session that does it.

import type { ExampleTask } from '@pilothouse/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CodeXml, Sparkle } from 'lucide-react';
import { type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { capabilitiesQuery } from '../api/queries.ts';
import { readScriptFaults, type ScriptFault } from '../api/words.ts';
import { isMac, useShortcuts } from '../common/shortcuts.ts';
import { describeScript } from '../compose/faults.tsx';
import { looksLikeScript } from '../compose/looks-like-script.ts';
import { LimitsPick, ModelChoice, ProfilePick, SitesPick } from '../compose/option-picks.tsx';
import { PromptField, type PromptHandle } from '../compose/prompt-field.tsx';
import { SayBox } from '../compose/say-box.tsx';
import type { ScriptCheck } from '../compose/script-faults.ts';
import { hasErrors, noOptions, plannerOf, readOptions } from '../compose/task-options.ts';
import { Button } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Examples } from './examples.tsx';
import { Refused } from './problems.tsx';

const CannotStart = lazy(() => import('./cannot-start.tsx'));

type Mode = 'ask' | 'script';
const modes = [
  { value: 'ask', label: 'Ask', icon: Sparkle },
  { value: 'script', label: 'Script', icon: CodeXml },
] as const;
const placeholders = {
  ask: 'Compare the fares of all ferries to Harwich in March, as a table',
  script: 'open https://example.com\nclick "More information"\nwait for "Domains"\nscreenshot',
};

function useComposer() {
  const [chosen, setChosen] = useState<Mode>();
  const [prompt, setPrompt] = useState('');
  /** Stays so when the text is changed: the editor must not come and go. */
  const [isWritten, setWritten] = useState(false);
  const [stepsBy, setStepsBy] = useState<ExampleTask['steps_by']>();
  const [options, setOptions] = useState(noOptions);
  const [check, setCheck] = useState<ScriptCheck>();
  const [ownFaults, setOwnFaults] = useState<readonly ScriptFault[]>([]);
  const field = useRef<PromptHandle>(null);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const caller = useQuery(capabilitiesQuery).data?.caller ?? undefined;
  const canAsk = !caller || caller.planners.includes('llm');
  const mode = chosen ?? (isWritten || !canAsk ? 'script' : 'ask');
  const isForModel = mode === 'ask' && canAsk;
  const { fields, errors } = readOptions(options, isForModel);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () =>
      client.sendChat({ prompt, planner: plannerOf(fields, mode === 'script'), steps_by: stepsBy, ...fields }),
    onSuccess: ({ session_id, task_id }) =>
      navigate({ to: '/sessions/$id', params: { id: session_id }, search: { task: task_id } }),
    onSettled: () => cache.invalidateQueries(capabilitiesQuery),
  });
  const run = () => {
    if (!prompt.trim()) return field.current?.focus();
    const faults = mode === 'script' ? (field.current?.check()?.errors ?? []) : [];
    setOwnFaults(faults);
    if (faults.length === 0 && !hasErrors(errors) && !isPending) mutate();
    else if (faults[0]) field.current?.goTo(faults[0].line, faults[0].column);
  };
  const write = (text: string) => {
    setPrompt(text);
    setOwnFaults([]);
    if (looksLikeScript(text)) setWritten(true);
    // What is written from nothing is the person's own.
    if (text.trim() === '') setStepsBy(undefined);
  };
  const pick = ({ prompt: offered, steps_by }: ExampleTask) => {
    write(offered);
    setStepsBy(steps_by);
  };
  const choose = (next: Mode) => {
    setChosen(next);
    setOwnFaults([]);
    reset();
  };
  const faults = ownFaults.length > 0 ? ownFaults : readScriptFaults(error);
  return {
    ...{
      mode,
      choose,
      prompt,
      write,
      pick,
      options,
      setOptions,
      errors,
      check,
      setCheck,
      field,
      caller,
      canAsk,
      isForModel,
      run,
    },
    ...{ isPending, error, faults, isEditor: mode === 'script' && (chosen === 'script' || isWritten) },
  };
}

const isRunKey = (event: KeyboardEvent) => event.key === 'Enter' && (event.metaKey || event.ctrlKey);

export function Composer() {
  const composer = useComposer();
  const { mode, prompt, field, caller, run, check } = composer;
  useShortcuts({ c: () => field.current?.focus() });
  const isScript = mode === 'script';
  const isUnread = !isScript && !composer.canAsk;
  const isFull = caller !== undefined && caller.quotas.open_tasks.used >= caller.quotas.open_tasks.limit;
  return (
    <div className="mx-auto max-w-[800px] narrow:mt-4">
      <SayBox size="lg">
        <PromptField
          ref={field}
          id="composer"
          isScript={composer.isEditor}
          label={isScript ? 'Script, one instruction a line' : 'What should be done?'}
          describedBy="composer-hint composer-problems"
          rows={4}
          maxLength={caller?.sizes.prompt_chars ?? 8000}
          placeholder={placeholders[mode]}
          value={prompt}
          onChange={composer.write}
          onRun={run}
          isRunKey={isRunKey}
          onCheck={composer.setCheck}
          className={`max-h-[50dvh] min-h-28 rounded-t-4 px-4 pt-4 ${isScript ? 'font-mono text-13' : 'text-16'}`}
        />
        {composer.isEditor && <ScriptFoot check={check} />}
        <div className="flex flex-wrap items-center gap-x-1 gap-y-2 p-2">
          <Segmented label="How it is read" value={mode} options={modes} onChange={composer.choose} className="mr-1" />
          {composer.isForModel && caller && (
            <ModelChoice options={composer.options} onChange={composer.setOptions} models={caller.models} />
          )}
          {caller?.profiles && <ProfilePick options={composer.options} onChange={composer.setOptions} />}
          <SitesPick options={composer.options} errors={composer.errors} onChange={composer.setOptions} />
          <LimitsPick
            options={composer.options}
            errors={composer.errors}
            onChange={composer.setOptions}
            canRecord={caller?.recording ?? false}
            isForModel={composer.isForModel}
          />
          <span className="min-w-0 flex-1" />
          <Button
            look="primary"
            size="lg"
            onClick={run}
            disabled={isFull}
            isBusy={composer.isPending}
            className="narrow:h-11"
          >
            Run
            <Kbd className="border-transparent! bg-transparent! text-current! narrow:hidden">
              {isMac ? '⌘⏎' : 'Ctrl ⏎'}
            </Kbd>
          </Button>
        </div>
      </SayBox>
      <Examples examples={caller?.examples} onPick={composer.pick} />
      {isScript && !composer.canAsk && <OnlyScripts />}
      <div id="composer-problems" role="alert">
        {(isFull || isUnread) && (
          <Suspense>
            <CannotStart
              limit={isFull ? caller.quotas.open_tasks.limit : undefined}
              onScript={isUnread ? () => composer.choose('script') : undefined}
            />
          </Suspense>
        )}
        {!isUnread && (
          <Refused
            error={composer.error}
            faults={composer.faults}
            onLine={(fault) => field.current?.goTo(fault.line, fault.column)}
          />
        )}
      </div>
    </div>
  );
}

function OnlyScripts() {
  return (
    <p data-testid="only-scripts" className="mt-2 px-1 text-12 text-ink-3">
      Without a model a task has to be a script: one instruction a line.
    </p>
  );
}

/** How many steps it is, and how to leave the editor. */
function ScriptFoot({ check }: { check: ScriptCheck | undefined }) {
  const wrong = check?.errors.length ?? 0;
  return (
    <div className="flex flex-wrap justify-between gap-x-4 border-t border-line px-4 py-1.5 text-12 text-ink-3">
      <span role="status" className={wrong > 0 ? 'text-bad-ink' : undefined}>
        {wrong > 0
          ? `${wrong} ${wrong === 1 ? 'line is' : 'lines are'} not understood`
          : check && describeScript(check)}
      </span>
      <span id="composer-hint">Escape, then Tab leaves the editor</span>
    </div>
  );
}
