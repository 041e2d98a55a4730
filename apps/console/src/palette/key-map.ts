// What the keys do, as it is written in the list of keys and in the settings.

type KeyEntry = { does: string; keys: (isMac: boolean) => string[] };

/** On the page of a session. */
export const sessionKeyMap: KeyEntry[] = [
  { does: 'Take the wheel, or hand it back', keys: () => ['W'] },
  { does: 'Take the wheel now', keys: () => ['⇧', 'W'] },
  { does: 'Free the keys while you drive', keys: () => ['⇧', 'Esc'] },
  { does: 'Answer a question', keys: () => ['A'] },
  { does: 'Yes, no, with the card in focus', keys: () => ['Y', 'N'] },
  { does: 'Step after, step before', keys: () => ['J', 'K'] },
  { does: 'Play, pause', keys: () => ['Space'] },
  { does: 'Back to live', keys: () => ['L'] },
  { does: 'Marks on, off', keys: () => ['O'] },
  { does: 'Full screen', keys: () => ['F'] },
  { does: 'Actual size', keys: () => ['0'] },
  { does: 'Drawer', keys: () => ['D'] },
  { does: 'Narrower, wider timeline', keys: () => ['[', ']'] },
];

export const keyMap: KeyEntry[] = [
  { does: 'Search and commands', keys: (isMac) => [isMac ? '⌘' : 'Ctrl', 'K'] },
  { does: 'Run what is written', keys: (isMac) => [isMac ? '⌘' : 'Ctrl', 'Enter'] },
  { does: 'Write', keys: () => ['C'] },
  { does: 'Home', keys: () => ['G', 'H'] },
  { does: 'Inbox', keys: () => ['G', 'I'] },
  { does: 'Sessions', keys: () => ['G', 'S'] },
  { does: 'All keys', keys: () => ['?'] },
];
