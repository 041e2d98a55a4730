// Says in words and table rows what a schema of the OpenAPI document allows. Knows no routes and no pages.

/** What the document uses of JSON Schema. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  default?: unknown;
  format?: string;
  contentEncoding?: string;
} & Partial<Record<'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minimum' | 'maximum', number>>;
export type FieldRow = { name: string; type: string; isRequired: boolean; what: string };

/** Objects inside objects are listed by their path, so deep. */
const mostDepth = 3;

export const anchorOf = (name: string) => name.toLowerCase();
export const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** A type in words; names of types are links to their page. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `[${name}](/reference/types/#${anchorOf(name)})`;
  }
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' and ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object' && !schema.properties && typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(schema.additionalProperties)}`;
  return schema.type ?? 'any value';
}

/** The bounds that a reader can run into. */
export function boundsOf(schema: Schema): string {
  const one = withoutNull(schema);
  const said = [
    one.description,
    range(one.minLength, one.maxLength, 'characters'),
    range(one.minItems, one.maxItems, 'items'),
    one.type === 'integer' || one.type === 'number' ? range(one.minimum, one.maximum, '') : undefined,
    one.format && `format ${one.format}`,
    one.default !== undefined && `default ${code(one.default)}`,
  ];
  return said.filter(Boolean).join('; ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const isBounded = most !== undefined && most < Number.MAX_SAFE_INTEGER;
  const from = least === undefined || least <= -Number.MAX_SAFE_INTEGER ? 0 : least;
  if (!isBounded) return from > 0 ? `at least ${from} ${unit}`.trim() : undefined;
  return (from === 0 && unit ? `at most ${most} ${unit}` : `${from} to ${most} ${unit}`).trim();
}

const withoutNull = (schema: Schema): Schema => {
  const others = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return others.length === 1 && others[0] ? others[0] : schema;
};

/** Every field of an object, those of objects in it by their path. */
export function fieldsOf(schema: Schema, path = '', depth = 0): FieldRow[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const full = `${path}${name}`;
    const row = { name: full, type: typeOf(one), isRequired: required.includes(name), what: boundsOf(one) };
    const inner = withoutNull(one);
    const item = inner.type === 'array' ? inner.items : undefined;
    const [nested, mark] = item?.properties ? [item, '[].'] : [inner, '.'];
    return nested.properties && depth < mostDepth ? [row, ...fieldsOf(nested, `${full}${mark}`, depth + 1)] : [row];
  });
}

export function fieldTable(rows: FieldRow[], { hasRequired = true } = {}): string {
  if (rows.length === 0) return '';
  const head = hasRequired ? ['Field', 'Type', 'Required', 'Bounds'] : ['Field', 'Type', 'Bounds'];
  return tableOf(
    head,
    rows.map(({ name, type, isRequired, what }) =>
      hasRequired ? [`\`${name}\``, type, isRequired ? 'yes' : '', what] : [`\`${name}\``, type, what],
    ),
  );
}

/** Without the columns that no row says anything in. */
export function tableOf(head: string[], rows: string[][]): string {
  const isSaid = head.map((_, index) => index === 0 || rows.some((row) => row[index]));
  return [head, head.map(() => '---'), ...rows]
    .map(
      (row) =>
        `| ${row
          .filter((_, index) => isSaid[index])
          .map(cell)
          .join(' | ')} |`,
    )
    .join('\n');
}
