// The parts of the settings, each at an address of its own.

/** `isOfUser`: only with a login. */
export const settingsParts = [
  { part: 'account', label: 'Account', isOfUser: true },
  { part: 'logins', label: 'Logins', isOfUser: true },
  { part: 'keys', label: 'API keys', isOfUser: true },
  { part: 'policy', label: 'Policy', isOfUser: false },
  { part: 'profiles', label: 'Profiles', isOfUser: false },
  { part: 'secrets', label: 'Secrets', isOfUser: false },
  { part: 'look', label: 'Look and keys', isOfUser: false },
] as const;
export type SettingsPart = (typeof settingsParts)[number]['part'];

export const isSettingsPart = (text: string): text is SettingsPart => settingsParts.some(({ part }) => part === text);
