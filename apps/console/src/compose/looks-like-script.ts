// Whether a text is probably a script: decided by its form alone, before the table of instructions is loaded.

/** One to four plain words, then a text in quotes or an address. */
const instruction = /^\s*!?[a-z][a-z-]*(?: [a-z-]+){0,3} +(?:["“„«]|https?:\/\/)/i;
const assignment = /^\s*let\s+\S+\s*=/i;
const json = /^\s*!?step\s*\{/i;

export function looksLikeScript(text: string): boolean {
  const lines = text.split('\n', 200).filter((line) => /^\s*[^\s#]/.test(line));
  const fits = lines.filter((line) => instruction.test(line) || assignment.test(line) || json.test(line)).length;
  // Short instructions, such as `back` or `press Enter`, say nothing by themselves, and words may quote something.
  const isShort = (line: string) => line.length < 40 && !/[.?!]\s*$/.test(line);
  return (
    fits > 0 &&
    lines.every((line) => instruction.test(line) || assignment.test(line) || json.test(line) || isShort(line))
  );
}
