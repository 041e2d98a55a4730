// The keys of an open list: which option is meant next.

export type ListOption = { text: string; disabled: boolean };

const pageRows = 8;

/** The place of the option that the key leads to; undefined for a key that leads nowhere. Disabled ones are passed over. */
export function moveInList(options: readonly ListOption[], at: number, key: string): number | undefined {
  const last = options.length - 1;
  const find = (from: number, step: 1 | -1): number | undefined => {
    for (let index = from; index >= 0 && index <= last; index += step) if (!options[index]?.disabled) return index;
    return undefined;
  };
  if (key === 'ArrowDown') return find(at + 1, 1);
  if (key === 'ArrowUp') return find(at - 1, -1);
  if (key === 'Home') return find(0, 1);
  if (key === 'End') return find(last, -1);
  if (key === 'PageDown') return find(Math.min(last, at + pageRows), 1) ?? find(last, -1);
  if (key === 'PageUp') return find(Math.max(0, at - pageRows), -1) ?? find(0, 1);
  return undefined;
}

/** The next option that begins with the letters; one letter repeated goes from one to the next. */
export function findByLetters(options: readonly ListOption[], at: number, letters: string): number | undefined {
  const isRepeated = [...letters].every((letter) => letter === letters[0]);
  const wanted = (isRepeated ? letters.slice(0, 1) : letters).toLocaleLowerCase();
  const first = letters.length === 1 || isRepeated ? at + 1 : Math.max(0, at);
  for (let step = 0; step < options.length; step += 1) {
    const index = (first + step) % options.length;
    const option = options[index];
    if (option && !option.disabled && option.text.trim().toLocaleLowerCase().startsWith(wanted)) return index;
  }
  return undefined;
}
