// Watches the commands of one guest for what it does to the pages: each act is told once, after it was done, refused or failed.
// No command waits for this, and none is changed.

import { actLimits, type ProgramAct } from '@pilothouse/bus';
import { createActReport, type TimedAct } from './act-report.ts';
import { type Answered, jointly, orElse, readAnswer } from './answer.ts';
import type { ElementSight, Sight } from './element-sight.ts';
import { createRuns, type Waiting } from './runs.ts';
import { type Point, type Sighting, sightingOf } from './sighting.ts';

type Command = { method: string; params: Record<string, unknown>; sessionId: string };
type TakeAnswer = (answer: string | undefined) => void;

export type ActWatch = {
  /** A command that Chromium is given now. What it returns takes the answer; undefined where the command is no act. */
  sent(command: Command): TakeAnswer | undefined;
  /** A command that was not done, and why. `isWhole`: a press whose release is not told. */
  refused(command: Command, why: string, told?: { isWhole: boolean }): void;
  /** Tells what is left. Nothing is told after it. */
  close(): Promise<void>;
};

type Options = {
  sights: Pick<ElementSight, 'at' | 'focused'>;
  send(acts: ProgramAct[]): void;
  now?: () => number;
};

/** A load may take long: what comes after it is told no later than this. */
const answerMs = 5000;
/** A page that is busy answers late, and what it is asked is asked before it is touched. */
const sightMs = 3000;
const closeMs = 1000;
/** A pointer that is let go further away has dragged. */
const dragPixels = 10;

type Pressed = Waiting & { point: Point; clicks: number; element: Promise<Sight | undefined> };
type ElementsOf = { element?: Promise<Sight | undefined>; to?: Promise<Sight | undefined> };

export function createActWatch({ sights, send, now = () => performance.now() }: Options): ActWatch {
  const closing = new AbortController();
  const { signal } = closing;
  const report = createActReport({ send, now });
  const seen = (sight: Promise<Sight | undefined>) => orElse(sight, () => undefined, { ms: sightMs, signal });
  const at = (sessionId: string, point: Point) => seen(sights.at(sessionId, point));

  /** The answer to a command, which Chromium may never give. */
  function awaitAnswer(): Waiting & { take: TakeAnswer } {
    const { promise, resolve } = Promise.withResolvers<Answered>();
    const unanswered = () => ({ outcome: 'unanswered' as const, error: 'there is no answer yet', at: now() });
    const answered = orElse(promise, unanswered, { ms: answerMs, signal });
    return { at: now(), answered, take: (answer) => resolve(readAnswer(answer, now())) };
  }

  function add(act: TimedAct, waits: readonly Waiting[], { element, to }: ElementsOf = {}): void {
    const answers = Promise.all(waits.map(({ answered }) => answered));
    const told = async () => {
      const [all, found, there] = [await answers, await element, await to];
      return [
        {
          ...act,
          ...jointly(all, act.at),
          ...(found && { element: shown(found) }),
          ...(there && { to: shown(there) }),
        },
      ];
    };
    report.add(told());
  }

  const focused = (sessionId: string) => seen(sights.focused(sessionId));
  const runs = createRuns({ focused, addType: report.add, addRepeated: add });
  const mouse = createMouse({ at, add });

  function note(sighting: Sighting, sessionId: string, wait: Waiting): void {
    const act = actOf(sighting, wait.at);
    if (sighting.type === 'text') runs.type(sessionId, sighting, wait);
    else if (sighting.type === 'wheel' || sighting.type === 'key') runs.repeat(sessionId, act, wait);
    else {
      runs.end();
      if (sighting.type === 'down' || sighting.type === 'up') mouse.note(sighting, sessionId, wait);
      else if (sighting.type === 'drop') add(act, [wait], { to: at(sessionId, sighting.point) });
      else add(act, [wait], sighting.type === 'tap' ? { element: at(sessionId, sighting.point) } : {});
    }
  }

  return {
    sent({ method, params, sessionId }) {
      const sighting = sightingOf(method, params);
      if (!sighting || signal.aborted) return undefined;
      const { take, ...wait } = awaitAnswer();
      note(sighting, sessionId, wait);
      return take;
    },
    refused({ method, params, sessionId }, why, { isWhole } = { isWhole: false }) {
      const sighting = sightingOf(method, params);
      if (sighting?.type === 'up') mouse.forget(sighting, sessionId);
      // A press that is refused is followed by its release, which is refused too.
      if (!sighting || (sighting.type === 'down' && !isWhole) || signal.aborted) return;
      runs.end();
      const error = why.slice(0, actLimits.errorChars);
      report.add(Promise.resolve([{ ...actOf(sighting, now()), outcome: 'refused', error }]));
    },
    async close() {
      runs.end();
      await orElse(report.close(), () => undefined, { ms: closeMs, signal });
      // What has no answer yet is told as it is.
      closing.abort();
      await report.close();
    },
  };
}

type MouseOptions = {
  at(sessionId: string, point: Point): Promise<Sight | undefined>;
  add(act: TimedAct, waits: readonly Waiting[], elements: ElementsOf): void;
};

/** A press and its release are one act. */
function createMouse({ at, add }: MouseOptions) {
  const pressed = new Map<string, Pressed>();
  const keyOf = ({ button }: Mouse, sessionId: string) => `${sessionId} ${button}`;
  return {
    note(sighting: Mouse, sessionId: string, wait: Waiting): void {
      const { point, button } = sighting;
      const key = keyOf(sighting, sessionId);
      const begun = pressed.get(key);
      if (sighting.type === 'down')
        pressed.set(key, { ...wait, point, clicks: sighting.clicks, element: at(sessionId, point) });
      else pressed.delete(key);
      if (sighting.type === 'down' || !begun) return;
      const isDrag = Math.hypot(point.x - begun.point.x, point.y - begun.point.y) > dragPixels;
      const kind = isDrag ? 'drag' : begun.clicks === 2 ? 'double_click' : 'click';
      const act = { ...emptyAct(kind, begun.at), point: begun.point, button };
      add(act, [begun, wait], { element: begun.element, ...(isDrag && { to: at(sessionId, point) }) });
    },
    /** Its release was refused: the button was let go of for another driver. */
    forget: (sighting: Mouse, sessionId: string) => void pressed.delete(keyOf(sighting, sessionId)),
  };
}
type Mouse = Extract<Sighting, { type: 'down' | 'up' }>;

const shown = ({ role, name, box }: Sight) => ({ role, name, box });

const emptyAct = (kind: ProgramAct['kind'], at: number): TimedAct => ({
  ...{ kind, outcome: 'done', error: null, at, run_ms: 0, count: 1 },
});

/** What can be told without the page. What was typed is not among it. */
function actOf(sighting: Sighting, at: number): TimedAct {
  switch (sighting.type) {
    case 'navigate':
    case 'new_page':
      return { ...emptyAct(sighting.type, at), url: sighting.url.slice(0, actLimits.urlChars).toWellFormed() };
    case 'answer_dialog':
      return { ...emptyAct('answer_dialog', at), accept: sighting.accept };
    case 'wheel':
      return { ...emptyAct('scroll', at), point: sighting.point, delta: sighting.delta };
    case 'key':
      return { ...emptyAct('press', at), key: sighting.key };
    case 'text':
      return { ...emptyAct('type', at), chars: sighting.text.length };
    case 'drop':
      return { ...emptyAct('drag', at), point: sighting.point };
    case 'tap':
      return { ...emptyAct('click', at), point: sighting.point };
    case 'down':
    case 'up':
      return { ...emptyAct('click', at), point: sighting.point, button: sighting.button };
    default:
      return emptyAct(sighting.type, at);
  }
}
