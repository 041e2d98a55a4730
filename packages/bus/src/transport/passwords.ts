// The passwords by which a connection signs in. While they are replaced there are two, with a comma between: NATS knows one of
// them, and which one changes while the connection is up.

export type Passwords = ReturnType<typeof createPasswords>;

/** Asked before each attempt, where it is a function: a file may hold others by now. */
export type PasswordSource = string | (() => string);

export function createPasswords(source: PasswordSource) {
  const refused = new Set<string>();
  let offered: string | undefined;
  const all = () => (typeof source === 'string' ? source : source()).split(',').map((one) => one.trim());

  return {
    /** The first that NATS has not refused since it accepted one; the first of all, where it has refused each. */
    offer(): string {
      const known = all();
      let next = known.find((one) => !refused.has(one));
      if (next === undefined) {
        refused.clear();
        next = known[0] ?? '';
      }
      offered = next;
      return next;
    },
    refuse: (): void => void (offered !== undefined && refused.add(offered)),
    accept: (): void => refused.clear(),
    areAllRefused: (): boolean => all().every((one) => refused.has(one)),
  };
}
