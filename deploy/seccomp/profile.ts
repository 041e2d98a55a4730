// The seccomp profile of browser hosts: Docker's own, and the three calls that Chromium's sandbox is made of. It allows
// nothing else beyond Docker's.

export type Rule = { names: string[]; action: string; comment?: string; [more: string]: unknown };
export type Profile = { defaultAction: string; syscalls: Rule[]; [more: string]: unknown };

/** Each is needed, and nothing else is: the trial starts a host without each of them, and it refuses. */
export const sandboxCalls = ['chroot', 'clone', 'unshare'];

const comment = "Chromium's sandbox: user, process and network namespaces of its own, and an empty root.";

/** Adds one rule to the profile of an engine. Docker allows these calls only with capabilities that hosts do not have. */
export function withSandboxCalls(given: Profile, calls = sandboxCalls): Profile {
  return { ...given, syscalls: [...given.syscalls, { names: calls, action: 'SCMP_ACT_ALLOW', comment }] };
}

/** The profile as it was before, and the rules that were added; for tests that compare. */
export function splitProfile(made: Profile): { given: Profile; added: Rule[] } {
  const isAdded = (rule: Rule) => rule.comment === comment;
  return {
    given: { ...made, syscalls: made.syscalls.filter((rule) => !isAdded(rule)) },
    added: made.syscalls.filter(isAdded),
  };
}
