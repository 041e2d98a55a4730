// What comes next in this session, a prompt or a script; or words to the task that is at work. Loaded after the page.

import { useQuery } from '@tanstack/react-query';
import { CodeXml, List } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { capabilitiesQuery } from '../api/queries.ts';
import type { ScriptFault } from '../api/words.ts';
import { describeScript, Faults } from '../compose/faults.tsx';
import { looksLikeScript } from '../compose/looks-like-script.ts';
import { LimitsPick, ModelChoice, SitesPick } from '../compose/option-picks.tsx';
import { PromptField, type PromptHandle } from '../compose/prompt-field.tsx';
import { SayBox, SendButton } from '../compose/say-box.tsx';
import type { ScriptCheck } from '../compose/script-faults.ts';
import { hasErrors, noOptions, plannerOf, readOptions } from '../compose/task-options.ts';
import { IconButton } from '../ui/button.tsx';
import { Segmented } from '../ui/segmented.tsx';

export type NextTask = { prompt: string; planner: 'auto' | 'llm' | 'script' } & ReturnType<
  typeof readOptions
>['fields'];

type ComposerProps = {
  placeholder: string;
  hint: string;
  isBusy: boolean;
  error: string | undefined;
  /** Of the script that was refused last. */
  faults: readonly ScriptFault[];
  /** Tasks of this session that wait for their turn. */
  waiting: number;
  /** Resolves to whether it was taken; then the field is emptied. */
  onSend: (next: NextTask) => Promise<boolean>;
  /** While a task is at work: it can be told something without taking the wheel. */
  tell?: { isRead: boolean; onTell: (text: string) => Promise<boolean> };
};

const receivers = [
  { value: 'next', label: 'What comes next' },
  { value: 'task', label: 'To this task' },
] as const;
type Receiver = (typeof receivers)[number]['value'];

function useNext({ isBusy, onSend, faults: refused, tell }: ComposerProps) {
  const caller = useQuery(capabilitiesQuery).data?.caller ?? undefined;
  const canAsk = !caller || caller.planners.includes('llm');
  const [text, setText] = useState('');
  const [chosenReceiver, setReceiver] = useState<Receiver>();
  // What is said while a model works is most often meant for it.
  const receiver = chosenReceiver ?? (tell?.isRead ? 'task' : 'next');
  /** Written or chosen; a script stays one when it is changed. */
  const [isChosen, setChosen] = useState<boolean>();
  const [options, setOptions] = useState(noOptions);
  const [check, setCheck] = useState<ScriptCheck>();
  const [ownFaults, setOwnFaults] = useState<readonly ScriptFault[]>([]);
  const field = useRef<PromptHandle>(null);
  const told = receiver === 'task' ? tell : undefined;
  const isScript = !told && isChosen === true;
  const isForModel = canAsk && !isScript;
  const { fields, errors } = readOptions(options, isForModel);
  const send = async () => {
    if (!text.trim() || isBusy || (!told && hasErrors(errors))) return;
    const faults = isScript ? (field.current?.check()?.errors ?? []) : [];
    setOwnFaults(faults);
    if (faults[0]) return field.current?.goTo(faults[0].line, faults[0].column);
    const isTaken = await (told
      ? told.onTell(text)
      : onSend({ prompt: text, planner: plannerOf(fields, isScript), ...fields }));
    if (!isTaken) return;
    setText('');
    setChosen(undefined);
  };
  const write = (words: string) => {
    setText(words);
    setOwnFaults([]);
    if (isChosen === undefined && looksLikeScript(words)) setChosen(true);
  };
  // Of words only the reason is said: a line that is no instruction is no fault of theirs.
  const faults = isScript ? (ownFaults.length > 0 ? ownFaults : refused) : [];
  return {
    text,
    write,
    receiver,
    setReceiver,
    setChosen,
    options,
    setOptions,
    check,
    setCheck,
    field,
    told,
    isScript,
    errors,
    send,
    faults,
    caller,
    canAsk,
    isForModel,
  };
}

export default function Composer(props: ComposerProps) {
  const { isBusy, error, tell, waiting } = props;
  const next = useNext(props);
  const { text, told, isScript, field, faults, check, caller } = next;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void next.send();
  };
  const isRunKey = (event: KeyboardEvent) => {
    const isEnter = event.key === 'Enter' && !event.nativeEvent.isComposing;
    // A script has lines: they are sent with the command key.
    return isEnter && !event.shiftKey && (!text.includes('\n') || event.metaKey || event.ctrlKey);
  };
  return (
    <form onSubmit={submit} className="border-t border-line p-3">
      {tell && (
        <Segmented<Receiver>
          label="Whom it is for"
          value={next.receiver}
          options={receivers}
          onChange={next.setReceiver}
          className="mb-2"
        />
      )}
      {(error || faults.length > 0) && (
        <div role="alert" className="mb-2 px-1 text-12 whitespace-pre-line text-bad-ink">
          {faults.length > 0 ? (
            <Faults faults={faults} onLine={({ line, column }) => field.current?.goTo(line, column)} />
          ) : (
            error
          )}
        </div>
      )}
      <SayBox size="md">
        <PromptField
          ref={field}
          id="composer"
          isScript={isScript}
          label={told ? 'Tell the agent something' : isScript ? 'Script, one instruction a line' : props.placeholder}
          describedBy="composer-hint"
          value={text}
          onChange={next.write}
          onRun={() => void next.send()}
          isRunKey={isRunKey}
          onCheck={next.setCheck}
          placeholder={told ? 'Tell the agent something' : props.placeholder}
          maxLength={told ? 2000 : (caller?.sizes.prompt_chars ?? 8000)}
          rows={1}
          isSmall
          className="max-h-40 min-h-9 px-3 pt-2.5 pb-0.5 text-14"
        />
        <div className="flex items-center gap-1 p-1.5 pl-3">
          <span id="composer-hint" className="min-w-0 flex-1 truncate text-12 text-ink-3">
            {hintOf(props, next, check)}
          </span>
          {waiting > 0 && (
            <span
              data-testid="waiting"
              className="inline-flex items-center gap-1 px-1 text-12 whitespace-nowrap text-ink-2"
            >
              <List size={14} strokeWidth={1.75} aria-hidden />
              {describeWaiting(waiting, caller?.quotas.open_tasks.limit)}
            </span>
          )}
          <SendButton label="Send" isReady={!isBusy && text.trim() !== ''} />
        </div>
        {!told && <NextOptions next={next} />}
      </SayBox>
    </form>
  );
}

/** Words or a script, and the limits of what comes next. */
function NextOptions({ next }: { next: ReturnType<typeof useNext> }) {
  const { isScript, options, errors, isForModel, caller } = next;
  return (
    <div className="flex flex-wrap items-center gap-x-1 px-1.5 pb-1.5">
      <IconButton
        size="sm"
        icon={CodeXml}
        label={isScript ? 'Write words' : 'Write a script'}
        onClick={() => next.setChosen(!isScript)}
      />
      {isForModel && <ModelChoice options={options} onChange={next.setOptions} models={caller?.models ?? []} />}
      <SitesPick options={options} errors={errors} onChange={next.setOptions} />
      <LimitsPick
        options={options}
        errors={errors}
        onChange={next.setOptions}
        canRecord={false}
        isForModel={isForModel}
      />
    </div>
  );
}

function hintOf(
  { hint }: ComposerProps,
  { told, isScript, canAsk }: ReturnType<typeof useNext>,
  check: ScriptCheck | undefined,
) {
  if (told)
    return told.isRead
      ? 'The model reads it before its next step'
      : 'This task follows a script, which does not read it';
  if (!isScript) return canAsk ? hint : 'No model is configured: write a script';
  const steps = check && check.errors.length === 0 ? describeScript(check) : '';
  return [steps, 'Escape, then Tab leaves the editor'].filter(Boolean).join(' · ');
}

/** With the most that a person may have open, where it is near. */
const describeWaiting = (waiting: number, limit: number | undefined): string => {
  const words = `${waiting} ${waiting === 1 ? 'waits' : 'wait'}`;
  return limit !== undefined && waiting * 2 >= limit ? `${words}, at most ${limit}` : words;
};
