import { anyWordCountsAsDone } from './any-word-counts-as-done.ts';
import type { Attack, AttackResult, SharedStack } from './attack.ts';
import { blindWatcher } from './blind-watcher.ts';
import { busSelfReply } from './bus-self-reply.ts';
import { filesWithoutEnd } from './files-without-end.ts';
import { foreignUploads } from './foreign-uploads.ts';
import { frameStealsFocus } from './frame-steals-focus.ts';
import { guestLooksBack } from './guest-looks-back.ts';
import { hostClaimsRoom } from './host-claims-room.ts';
import { imitatedNames } from './imitated-names.ts';
import { logWithoutEnd } from './log-without-end.ts';
import { oneUserKeepsAll } from './one-user-keeps-all.ts';
import { passwordInEnviron } from './password-in-environ.ts';
import { popupTakesSteps } from './popup-takes-steps.ts';
import { reboundName } from './rebound-name.ts';
import { typedByAPerson } from './typed-by-a-person.ts';
import { unreadAnswers } from './unread-answers.ts';
import { unsandboxedProcess } from './unsandboxed-process.ts';
import { wordsThatStay } from './words-that-stay.ts';

/** Every attack that the system has to hold against, in the order in which they run. */
export const attacks: Attack[] = [
  wordsThatStay,
  anyWordCountsAsDone,
  unsandboxedProcess,
  passwordInEnviron,
  foreignUploads,
  filesWithoutEnd,
  logWithoutEnd,
  busSelfReply,
  oneUserKeepsAll,
  unreadAnswers,
  guestLooksBack,
  reboundName,
  blindWatcher,
  typedByAPerson,
  imitatedNames,
  hostClaimsRoom,
  popupTakesSteps,
  frameStealsFocus,
];

export type AttackReport = AttackResult & { name: string; what: string; held: boolean };

/** Runs the attacks of these names, or all of them, one after the other. An attack that cannot be carried out throws. */
export async function runAttacks({ names, stackName, isSmall, shared }: RunOptions): Promise<AttackReport[]> {
  const unknown = names.filter((name) => !attacks.some((attack) => attack.name === name));
  if (unknown.length > 0)
    throw new Error(`no such attack: ${unknown.join(', ')}; there are ${attacks.map(({ name }) => name).join(', ')}`);
  const reports: AttackReport[] = [];
  for (const { name, what, sharing, run } of attacks) {
    if (names.length > 0 && !names.includes(name)) continue;
    const result = await run({ stackName: `${stackName}-${name}`, isSmall, shared: sharing && shared });
    const held = result.tried > 0 && result.reached.length === 0 && (result.broken ?? []).length === 0;
    reports.push({ name, what, held, ...result });
    console.error(JSON.stringify(reports.at(-1)));
  }
  return reports;
}

type RunOptions = { names: string[]; stackName: string; isSmall: boolean; shared?: SharedStack };
