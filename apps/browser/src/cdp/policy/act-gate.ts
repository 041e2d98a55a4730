// Holds acts of a guest until they are judged, in the order in which they came. An act that is refused never reaches Chromium, and
// neither does the release of what was never pressed.

import type { GuestAct, JudgeAct } from './judge.ts';
import { heldBy, isInput, judgedActOf, loneReleaseOf } from './judged-act.ts';

/** Acts that wait for a page that does not answer. */
const maxWaiting = 256;
const unjudged = 'what this would touch cannot be seen now, so it was not done; try again';

export type ActGate<Command extends GuestAct> = {
  /** True where the command waits to be judged, or was refused; it is done or refused later, through the functions given. */
  holds(command: Command): boolean;
  /** Another drives: what waits is given back at once, to be refused. */
  drain(): Command[];
};

type Options<Command> = {
  /** Whether this lets go of what was let go of for the guest when another took over: the page does not hear of it. */
  isUpAlready(command: Command): boolean;
  /** Undefined where no rules hold. */
  judge: JudgeAct | undefined;
  /** It was judged, and may be done. */
  pass(command: Command): void;
  refuse(command: Command, why: string): void;
  /** The release of what was not pressed. */
  answerRelease(command: Command, why: string): void;
};

export function createActGate<Command extends GuestAct>(options: Options<Command>): ActGate<Command> {
  const { judge, isUpAlready, pass, refuse, answerRelease } = options;
  const waiting: Command[] = [];
  let isRunning = false;
  /** Buttons and keys whose press was refused, and why. */
  const notPressed = new Map<string, string>();
  /** Those that were pressed. */
  const pressed = new Set<string>();

  /** Undefined where it is not judged. */
  function actOf(command: Command): ReturnType<typeof judgedActOf> {
    const { method, params } = command;
    const held = heldBy(method, params);
    const key = held && !held.isDown && keyOf(command, held.name);
    const isLone = key && !pressed.has(key) && !notPressed.has(key) && !isUpAlready(command);
    return judgedActOf(method, params) ?? (isLone ? loneReleaseOf(method, params) : undefined);
  }

  /** Undefined where it may be done. */
  async function verdictOn(command: Command): Promise<string | undefined> {
    const act = actOf(command);
    if (!act || !judge) return undefined;
    if ('refuse' in act) return act.refuse;
    return judge(command, act).catch(() => unjudged);
  }

  function decide(command: Command, why: string | undefined): void {
    const held = heldBy(command.method, command.params);
    const key = held && keyOf(command, held.name);
    const before = key && notPressed.get(key);
    // What is down already, such as another finger, has to be let go of.
    if (key && held.isDown && why && !pressed.has(key)) notPressed.set(key, why);
    else if (key) notPressed.delete(key);
    if (key && held.isDown && !why) pressed.add(key);
    else if (key && !held.isDown) pressed.delete(key);
    if (why) refuse(command, why);
    else if (before && held && !held.isDown) answerRelease(command, before);
    else pass(command);
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      for (let next = waiting[0]; next; next = waiting[0]) {
        const why = await verdictOn(next);
        // Given back meanwhile.
        if (waiting[0] !== next) continue;
        waiting.shift();
        decide(next, why);
      }
    } finally {
      isRunning = false;
    }
  }

  return {
    holds(command) {
      if (!judge?.isNeeded()) return false;
      const isJudged = actOf(command) !== undefined;
      // A dialog holds up the page: its answer must not wait behind what the page is asked.
      if (!isInput(command.method)) {
        if (isJudged) void verdictOn(command).then((why) => (why ? refuse(command, why) : pass(command)));
        return isJudged;
      }
      const isHeld = heldBy(command.method, command.params) !== undefined;
      if (!isJudged && !isHeld && waiting.length === 0) return false;
      if (waiting.length >= maxWaiting) refuse(command, 'too many acts wait for the page');
      else waiting.push(command);
      if (!isRunning) void run();
      return true;
    },
    drain() {
      const given = waiting.splice(0);
      notPressed.clear();
      // What is held down is let go of for the next driver.
      pressed.clear();
      return given;
    },
  };
}

const keyOf = ({ sessionId = '' }: GuestAct, name: string): string => `${sessionId} ${name}`;
