// Tidies the schemas of the OpenAPI document.

const refPattern = /"#\/components\/schemas\/([^"]+)"/g;

type Schemas = Record<string, unknown>;

/**
 * The generator lists every named schema twice: as `Name` for answers and as `NameInput` for requests. This keeps those
 * that a served route refers to, and the suffix only if the two differ.
 */
export function tidyComponents<Document extends object>(document: Document): Document {
  const { components, ...rest } = document as { components?: { schemas?: Schemas } };
  const all = Object.fromEntries(
    Object.entries(components?.schemas ?? {}).map(([name, schema]) => [
      name,
      name.endsWith('Input') ? schema : open(schema),
    ]),
  );
  const used = reachable(rest, all);
  const plain = (name: string) => {
    const base = name.replace(/Input$/, '');
    const isSame = !used.has(base) || sameShape(all[base], all[name]);
    return name.endsWith('Input') && isSame ? base : name;
  };
  const rename = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replace(refPattern, (_, name) => `"#/components/schemas/${plain(name)}"`));
  const schemas = Object.fromEntries([...used].sort().map((name) => [plain(name), rename(all[name])]));
  return { ...rename(rest as Document), components: { ...components, schemas } };
}

/** Answers may gain fields, so their schemas must not forbid them; requests may be strict. */
export const open = <Value>(schema: Value): Value =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  );

function reachable(from: object, all: Schemas): Set<string> {
  const found = new Set<string>();
  const unread: unknown[] = [from];
  while (unread.length > 0) {
    for (const [, name = ''] of JSON.stringify(unread.pop()).matchAll(refPattern)) {
      if (found.has(name) || !(name in all)) continue;
      found.add(name);
      unread.push(all[name]);
    }
  }
  return found;
}

/** Equal except for the suffix of the schemas they refer to. */
const sameShape = (one: unknown, other: unknown) =>
  JSON.stringify(one) === JSON.stringify(other).replace(refPattern, (ref) => ref.replace(/Input"$/, '"'));
