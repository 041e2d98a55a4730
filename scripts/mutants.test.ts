import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mutantsOf } from './mutants.ts';

it('changes conditions, operators, words and calls, one at a time, and neither types nor names nor data', () => {
  const source = `import { a } from './a.ts';
type Kind = 'x' | 'y';
const words = ['ä', 'ö'];
export const first = (n: number, list: string[]): Kind => {
  if (!list.some((one) => one === 'ß')) return 'x';
  return n < 3 ? 'x' : 'y';
};
`;
  const told = mutantsOf(source, (name) => name === 'words').map(({ line, what }) => `${line}: ${what}`);
  assert.deepEqual(told, [
    "5: !list.some((one) => one === 'ß') → true",
    "5: !list.some((one) => one === 'ß') → false",
    "5: !list.some((one) => one === 'ß') → list.some((one) => one === 'ß')",
    '5: some → every',
    '5:  ===  →  !== ',
    "5: 'ß' → ''",
    "5: 'x' → ''",
    '6: n < 3 → true',
    '6: n < 3 → false',
    '6:  <  →  <= ',
    '6: 3 → 4',
    "6: 'x' → ''",
    "6: 'y' → ''",
  ]);
  const [first] = mutantsOf(source, (name) => name === 'words');
  assert.equal(first?.text, source.replace("!list.some((one) => one === 'ß')", 'true'));
});
