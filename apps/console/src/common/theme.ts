// Dark or light: as the person chose, else as the system is. index.html does the same before the first paint.

import { createStored } from './stored.ts';

export type Theme = 'system' | 'dark' | 'light';

const themes: readonly Theme[] = ['system', 'dark', 'light'];

export const theme = createStored<Theme>(
  'pilothouse.theme',
  (kept) => themes.find((one) => one === kept && one !== 'system') ?? 'system',
);

/** Keeps the class of the document as the theme says, until the page is left. */
export function applyTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const chosen = theme.read();
    document.documentElement.classList.toggle('dark', chosen === 'dark' || (chosen === 'system' && system.matches));
  };
  system.addEventListener('change', apply);
  theme.onChange(apply);
  apply();
}
