import { runDouble } from './double.ts';

/** As long as the text of one look may be, and about what a picture of it weighs. */
const pageText = Array.from(
  { length: 240 },
  (_, row) => `Row ${row} | a cell with some words | another | € ${row}.25`,
).join('\n');
runDouble({ pictureBytes: 30_000, pageText });
