// Which of some options is meant: to the letter, then ignoring case, then by how it begins, then as a part.

import { StepFailure } from '../common/failure.ts';

const maxNames = 8;
const maxNameChars = 40;

const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * The place of the option; undefined where none fits. `isLoose`: a beginning or a part is enough. `other` is one that
 * fits in another way, which counts after those that fit to the letter. Throws `ambiguous` where several fit equally well.
 */
export function bestOf(
  texts: readonly string[],
  wanted: string,
  { isLoose, other = -1 }: { isLoose: boolean; other?: number },
): number | undefined {
  const [exact, small] = [tidy(wanted), tidy(wanted).toLowerCase()];
  const fitting = (fits: (text: string) => boolean) =>
    texts.flatMap((text, index) => (fits(tidy(text)) ? [index] : []));
  const lower = (fits: (text: string) => boolean) => fitting((text) => fits(text.toLowerCase()));
  const levels = [
    () => fitting((text) => text === exact),
    () => (other < 0 ? [] : [other]),
    () => lower((text) => text === small),
    ...(isLoose && small !== ''
      ? [() => lower((text) => text.startsWith(small)), () => lower((text) => text.includes(small))]
      : []),
  ];
  for (const level of levels) {
    const found = level();
    if (found.length > 1)
      throw new StepFailure(
        'ambiguous',
        `${found.length} options fit equally well: ${namesOf(found.map((index) => texts[index] ?? ''))}`,
      );
    if (found.length === 1) return found[0];
  }
  return undefined;
}

/** What there is to choose from. Names of options are cut short and quoted: they are words of the page. */
export const offered = (texts: readonly string[]): string =>
  texts.length === 0 ? 'it is empty' : `there are ${namesOf(texts)}`;

function namesOf(texts: readonly string[]): string {
  const some = texts.slice(0, maxNames).map((text) => JSON.stringify(short(tidy(text))));
  const more = texts.length - some.length;
  return some.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const short = (text: string): string =>
  text.length > maxNameChars ? `${text.slice(0, maxNameChars - 1).toWellFormed()}…` : text;
