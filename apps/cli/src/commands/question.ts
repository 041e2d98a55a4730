// A question of a task on the terminal: shown, and answered by the person.

import type { Approval, Question } from '@pilothouse/contract';
import type { Ask } from '../output/ask.ts';
import { plain, type Terminal } from '../output/terminal.ts';

export function questionLines({ paint }: Terminal, question: Question): string[] {
  const { approval, choices, plan_items } = question;
  const numbered = choices?.map(({ value, label }, index) => {
    const known = plain(label) === plain(value) ? '' : paint('dim', ` (${value})`);
    return `    ${index + 1}  ${plain(label)}${known}`;
  });
  return [
    `  ${paint('yellow', '?')} ${paint('bold', question.text)}`,
    ...(approval ? approvalLines(approval) : []),
    ...(plan_items ?? []).map(
      ({ text, site }, index) => `    ${index + 1}. ${plain(text)}${site ? ` (${plain(site)})` : ''}`,
    ),
    ...(numbered ?? []),
  ];
}

/** Everything that the yes holds for. Names, values and amounts are words of the page. */
function approvalLines({ action, why, page, form_action, value, amounts, void_reason }: Approval): string[] {
  const facts: [string, string | null][] = [
    ['Act', action],
    ['Why', why],
    ['Page', page],
    ['Sent to', form_action],
    ['Value', value],
    ['Amounts', amounts.join(', ') || null],
    ['Asked again', void_reason],
  ];
  return facts.flatMap(([name, fact]) => (fact === null ? [] : [`    ${name.padEnd(12)} ${plain(fact)}`]));
}

/** The value of the choice that the person typed, by its number, label or value; or their words. */
export function readAnswer({ choices }: Pick<Question, 'choices'>, typed: string): string {
  const list = choices ?? [];
  const byNumber = /^\d+$/.test(typed) ? list[Number(typed) - 1] : undefined;
  const same = (text: string) => text.toLowerCase() === typed.toLowerCase();
  return (byNumber ?? list.find(({ value, label }) => same(value) || same(label)))?.value ?? typed;
}

/** Asks until something is typed. */
export async function askPerson(
  { terminal, ask }: { terminal: Terminal; ask: Ask },
  question: Question,
  signal?: AbortSignal,
): Promise<string> {
  for (const line of questionLines(terminal, question)) terminal.print(line);
  for (;;) {
    const typed = await ask.line('  > ', signal);
    if (typed !== '') return readAnswer(question, typed);
  }
}
