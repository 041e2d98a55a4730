// What the keys do, as it is written in the list of keys and in the settings.

type KeyEntry = { does: string; keys: (isMac: boolean) => string[] };

export const keyMap: KeyEntry[] = [
  { does: 'Search and commands', keys: (isMac) => [isMac ? '⌘' : 'Ctrl', 'K'] },
  { does: 'Run what is written', keys: (isMac) => [isMac ? '⌘' : 'Ctrl', 'Enter'] },
  { does: 'Write', keys: () => ['C'] },
  { does: 'Home', keys: () => ['G', 'H'] },
  { does: 'Inbox', keys: () => ['G', 'I'] },
  { does: 'Sessions', keys: () => ['G', 'S'] },
  { does: 'All keys', keys: () => ['?'] },
];
