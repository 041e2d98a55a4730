// The list of a `select` that is open, or the input that has the focus and whose value is picked: neither is drawn where
// a picture shows it. One long function, because its text is sent.

type Box = { x: number; y: number; width: number; height: number };
type Option = { index: number; text: string; group: string | null; disabled: boolean; selected: boolean };
type PickerType = 'date' | 'time' | 'datetime-local' | 'month' | 'week' | 'color';
type Picker = { kind: 'picker'; type: PickerType; value: string; min: string; max: string; step: string };

export type OpenFieldHere = { number: number; box: Box } & (
  | { kind: 'select'; options: Option[]; truncated: boolean }
  | Picker
);

/** The field that was last told of, by its number. It is in our world: the page does not see it. */
export type KnownField = { number: number; element: WeakRef<Element> };
declare global {
  var openFieldOfPilothouse: KnownField | undefined;
}

export function readOpenField(): OpenFieldHere | null {
  const maxOptions = 500;
  const maxChars = 200;
  /** Of all options together: the list is sent again whenever it changes. */
  const maxListChars = 50_000;
  const pickerTypes = ['date', 'time', 'datetime-local', 'month', 'week', 'color'];
  // A form of the page may have a field of this name.
  const activeOf = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')?.get;
  let element: Element | null = activeOf?.call(document) ?? null;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;

  const clean = (text: string) =>
    text
      .slice(0, 4 * maxChars)
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, maxChars)
      .toWellFormed();
  const bounded = (text: string) => text.slice(0, maxChars).toWellFormed();

  function numberOf(field: Element): number {
    const known = globalThis.openFieldOfPilothouse;
    if (known?.element.deref() === field) return known.number;
    const number = (known?.number ?? 0) + 1;
    globalThis.openFieldOfPilothouse = { number, element: new WeakRef(field) };
    return number;
  }

  function boxOf(field: Element): Box {
    const { x, y, width, height } = field.getBoundingClientRect();
    return { x, y, width, height };
  }

  function optionsOf(select: HTMLSelectElement): { options: Option[]; truncated: boolean } {
    const options: Option[] = [];
    let chars = 0;
    for (let index = 0; index < select.options.length; index += 1) {
      const option = select.options[index];
      if (!option || option.hidden) continue;
      const group = option.closest('optgroup');
      const [text, label] = [clean(option.label || option.text), group && clean(group.label)];
      chars += text.length + (label?.length ?? 0);
      if (options.length === maxOptions || chars > maxListChars) return { options, truncated: true };
      options.push({
        index,
        text,
        group: label,
        disabled: option.disabled || (group?.disabled ?? false),
        selected: option.selected,
      });
    }
    return { options, truncated: false };
  }

  if (element instanceof HTMLSelectElement && element.matches(':open'))
    return { kind: 'select', number: numberOf(element), box: boxOf(element), ...optionsOf(element) };
  if (!(element instanceof HTMLInputElement) || !pickerTypes.includes(element.type)) return null;
  if (element.disabled || element.readOnly || !document.hasFocus()) return null;
  const [value, min, max, step] = [element.value, element.min, element.max, element.step].map(bounded);
  return {
    kind: 'picker',
    number: numberOf(element),
    box: boxOf(element),
    // One of the list above.
    type: element.type as PickerType,
    value: value ?? '',
    min: min ?? '',
    max: max ?? '',
    step: step ?? '',
  };
}
