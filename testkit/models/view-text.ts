// Reads the text in which a page is shown to a model: handles with role, name and value, and what is around each.

export type SeenHandle = {
  ref: string;
  /** `link` where the text names none. */
  role: string;
  name: string;
  value: string | undefined;
  options: string[];
  isDisabled: boolean;
  /** Of the nearest heading above it. */
  heading: string;
  /** The whole line: the row of a table, the words beside a field. */
  line: string;
  /** Words since the last handle of the same role and name: those of its own card. */
  card: string;
  /** Titles of dialogs and frames around it, outermost first. */
  around: string[];
};

export type SeenPage = {
  handles: SeenHandle[];
  headings: string[];
  text: string;
  hasMore: boolean;
  /** Where there is more than one: each with its title and address. */
  tabs: { id: string; text: string }[];
};

const handle =
  /\[(?<ref>e\d+)(?: (?<role>[a-z][a-z-]*))?(?: (?<name>"(?:[^"\\]|\\.)*"))?(?<tail>[^[]*?(?:\[[^\]]*\][^[\]]*)*)\]/g;
const fence = /^<(page-[0-9a-f]+)>\n([\s\S]*)\n<\/\1>/m;

/** Takes the part between the fences, where the text has them. */
export function readPage(message: string): SeenPage {
  const text = fence.exec(message)?.[2] ?? message;
  const handles: SeenHandle[] = [];
  const headings: string[] = [];
  const around: string[] = [];
  const since = new Map<string, number>();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (heading !== undefined) headings.push(plain(heading));
    const opened = /^<(?:dialog|frame)(?: ("(?:[^"\\]|\\.)*"))?[^>]*>$/.exec(line);
    if (opened) around.push(unquoted(opened[1]));
    if (/^<\/(?:dialog|frame)>$/.test(line)) around.pop();
    for (const { groups = {} } of line.matchAll(handle)) {
      const { ref = '', role = 'link', tail = '' } = groups;
      const name = unquoted(groups.name);
      const key = `${role} ${name}`;
      const card = lines.slice(since.get(key) ?? 0, index + 1).join('\n');
      since.set(key, index + 1);
      handles.push({
        ref,
        role,
        name,
        ...tailOf(tail),
        heading: headings.at(-1) ?? '',
        line,
        card,
        around: [...around],
      });
    }
  }
  const hasMore = /^<(below|more)\b/m.test(text) || /goes on below: scroll/.test(message);
  return { handles, headings, text, hasMore, tabs: tabsOf(text) };
}

function tabsOf(text: string): SeenPage['tabs'] {
  const [, list = ''] = /^tabs:\n([\s\S]*?)\n\n/m.exec(text) ?? [];
  return [...list.matchAll(/^(\S+) (.*)$/gm)].map(([, id = '', words = '']) => ({ id, text: words }));
}

function tailOf(tail: string): Pick<SeenHandle, 'value' | 'options' | 'isDisabled'> {
  const [, value] = /^ = ("(?:[^"\\]|\\.)*")/.exec(tail) ?? [];
  const rest = tail.slice(value === undefined ? 0 : value.length + 3);
  const [, list] = /^ of (.*)$/.exec(rest) ?? [];
  return {
    value: value === undefined ? undefined : unquoted(value),
    options: list?.split('|').filter((option) => !/^\+\d+$/.test(option)) ?? [],
    isDisabled: / disabled\b/.test(rest),
  };
}

const plain = (line: string) => line.replace(handle, (...all) => unquoted(all.at(-1).name)).trim();

const unquoted = (quoted: string | undefined): string => {
  if (quoted === undefined) return '';
  try {
    return JSON.parse(quoted);
  } catch {
    return quoted.slice(1, -1);
  }
};

/** The handles that are called so, those with exactly this name first; `within` is a word of the row, card, heading or dialog. */
export function findHandles(page: SeenPage, name: string, roles?: readonly string[], within?: string): SeenHandle[] {
  const lower = name.toLowerCase();
  const fitting = page.handles.filter(({ role, isDisabled }) => !isDisabled && (!roles || roles.includes(role)));
  const exact = fitting.filter((one) => one.name.toLowerCase() === lower);
  const named = exact.length > 0 ? exact : fitting.filter((one) => one.name.toLowerCase().includes(lower));
  if (within === undefined) return named;
  const word = within.toLowerCase();
  const holds = (text: string) => text.toLowerCase().includes(word);
  // From the nearest to the farthest.
  for (const isIn of [
    (one: SeenHandle) => holds(one.line),
    (one: SeenHandle) => holds(one.heading),
    (one: SeenHandle) => holds(one.card),
    (one: SeenHandle) => one.around.some(holds),
  ]) {
    const found = named.filter(isIn);
    if (found.length > 0) return found;
  }
  return [];
}
