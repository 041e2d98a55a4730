// Holds acts of a guest until they are judged, in the order in which they came. An act that is refused never reaches Chromium, and
// neither does the release of what was never pressed.

import type { GuestAct, JudgeAct } from './judge.ts';
import { heldBy, isInput, judgedActOf, loneReleaseOf } from './judged-act.ts';

/** Acts that wait for a page that does not answer. */
const maxWaiting = 256;
/** The characters of them. One that waits alone may have more. */
const maxWaitingChars = 1024 * 1024;
/** Presses that were refused, and whose release has not come. */
const maxNotPressed = 200;
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
  /** It could not be passed on or refused. */
  fail(command: Command): void;
};

export function createActGate<Command extends GuestAct>(options: Options<Command>): ActGate<Command> {
  const { judge, isUpAlready, pass, refuse, answerRelease, fail } = options;
  const waiting: Command[] = [];
  /** Those that wait beside the queue. */
  let alone = 0;
  const isFull = ({ size = 0 }: Command) =>
    waiting.length + alone >= maxWaiting || (waiting.length > 0 && sizeOf(waiting) + size > maxWaitingChars);
  let isRunning = false;
  const presses = createPresses();
  const orFail = createOrFail(fail);

  /** Undefined where it is not judged. */
  function actOf(command: Command): ReturnType<typeof judgedActOf> {
    const { method, params } = command;
    const isLone = presses.isLoneRelease(command) && !isUpAlready(command);
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
    const before = presses.decided(command, why);
    if (why) refuse(command, why);
    else if (before) answerRelease(command, before);
    else pass(command);
  }

  async function decideAlone(command: Command): Promise<void> {
    alone += 1;
    const why = await verdictOn(command).catch(() => unjudged);
    alone -= 1;
    orFail(command, () => (why ? refuse(command, why) : pass(command)));
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      for (let next = waiting[0]; next; next = waiting[0]) {
        const why = await verdictOn(next).catch(() => unjudged);
        // Given back meanwhile.
        if (waiting[0] !== next) continue;
        waiting.shift();
        orFail(next, () => decide(next, why));
      }
    } finally {
      isRunning = false;
    }
  }

  return {
    holds(command) {
      if (!judge?.isNeeded()) return false;
      const isJudged = actOf(command) !== undefined;
      const isAlone = !isInput(command.method);
      const isHeld = heldBy(command.method, command.params) !== undefined;
      if (!isJudged && (isAlone || (!isHeld && waiting.length === 0))) return false;
      if (isFull(command)) refuse(command, 'too many acts wait for the page');
      // A dialog holds up the page: its answer must not wait behind what the page is asked.
      else if (isAlone) void decideAlone(command);
      else waiting.push(command);
      if (!isRunning && waiting.length > 0) void run();
      return true;
    },
    drain() {
      const given = waiting.splice(0);
      presses.clear();
      return given;
    },
  };
}

/** Nobody waits for what is done later: what goes wrong in it is answered here. */
const createOrFail =
  <Command>(fail: (command: Command) => void) =>
  (command: Command, work: () => void): void => {
    try {
      work();
    } catch {
      fail(command);
    }
  };

const sizeOf = (commands: readonly GuestAct[]): number => commands.reduce((sum, { size = 0 }) => sum + size, 0);

/** Which buttons and keys of the guest are down, and which it has never pressed because that was refused. */
function createPresses() {
  /** With the reason. */
  const notPressed = new Map<string, string>();
  const pressed = new Set<string>();
  return {
    isLoneRelease(command: GuestAct): boolean {
      const held = heldBy(command.method, command.params);
      const key = held && !held.isDown && keyOf(command, held.name);
      return key !== undefined && key !== false && !pressed.has(key) && !notPressed.has(key);
    },
    /** `why`: it is refused. Returns why the press was that this would release. */
    decided(command: GuestAct, why: string | undefined): string | undefined {
      const held = heldBy(command.method, command.params);
      if (!held) return undefined;
      const key = keyOf(command, held.name);
      const before = notPressed.get(key);
      // What is down already, such as another finger, has to be let go of.
      notPressed.delete(key);
      if (held.isDown && why && !pressed.has(key)) notPressed.set(key, why);
      // The release of one that is forgotten is judged as a press.
      const [oldest] = notPressed.keys();
      if (notPressed.size > maxNotPressed && oldest !== undefined) notPressed.delete(oldest);
      if (held.isDown && !why) pressed.add(key);
      else if (!held.isDown) pressed.delete(key);
      return held.isDown ? undefined : before;
    },
    clear(): void {
      notPressed.clear();
      // What is held down is let go of for the next driver.
      pressed.clear();
    },
  };
}

const keyOf = ({ sessionId = '' }: GuestAct, name: string): string => `${sessionId} ${name}`;
