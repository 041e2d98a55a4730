// What an instruction looks like in full, and its other words: shown where the pointer rests on it.

import { hoverTooltip } from '@codemirror/view';
import { describeLine } from '@pilothouse/contract/script';

export const scriptTooltips = hoverTooltip(({ state }, at) => {
  const line = state.doc.lineAt(at);
  const described = describeLine(line.text);
  const start = line.from + line.text.search(/[^\s!]|$/);
  if (!described || at < start || at > line.from + described.length) return null;
  return {
    pos: start,
    end: line.from + described.length,
    above: true,
    create: () => ({ dom: describe(described.shapes, described.others) }),
  };
});

function describe(shapes: string[], others: string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'script-tooltip';
  for (const shape of shapes) box.append(withText('code', shape));
  if (others.length > 0) box.append(withText('p', `Also: ${others.join(', ')}`));
  return box;
}

function withText(name: 'code' | 'p', text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
