/// <reference lib="dom" />
// Runs in the page. Collects the local storage and the databases of the page's site, in the form from which Playwright
// restores them. One long function, because only its text is sent; it must not use anything of this file outside itself.

export type CollectLimits = {
  /** More of one site would not fit into a state, and is not even collected. In characters of JSON. */
  maxChars: number;
  /** How many records are read at a time. */
  batchSize: number;
  maxDepth: number;
};

export type CollectedStorage = {
  origin: string;
  /** Each is JSON, so that it can be weighed without writing it once more. */
  localStorage: string;
  indexedDB: string;
  /** What is left out because it is too much. */
  cut: ('local storage' | 'databases')[];
  /** How much was read, also for what is left out. */
  chars: number;
};

export async function collectStorage({ maxChars, batchSize, maxDepth }: CollectLimits): Promise<CollectedStorage> {
  type Named = Record<string, unknown>;
  // Thrown when it is too much.
  const full = new Error('full');
  let chars = 0;
  let over = 0;
  const count = (more: number): void => {
    chars += more;
    if (chars > maxChars) throw full;
  };

  const done = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  // Throws for a value that holds itself.
  const isPlain = (value: unknown, depth = 0): boolean => {
    if (depth > maxDepth) throw new Error('too deep');
    const isInside = (one: unknown) => isPlain(one, depth + 1);
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
    if (Array.isArray(value)) return value.every(isInside);
    return value?.constructor === Object && Object.values(value).every(isInside);
  };
  const canBeJson = (value: unknown): boolean => {
    try {
      return isPlain(value);
    } catch {
      return false;
    }
  };

  const arrays = {
    i8: Int8Array,
    ui8: Uint8Array,
    ui8c: Uint8ClampedArray,
    i16: Int16Array,
    ui16: Uint16Array,
    i32: Int32Array,
    ui32: Uint32Array,
    f32: Float32Array,
    f64: Float64Array,
    bi64: BigInt64Array,
    bui64: BigUint64Array,
  };
  const base64 = (bytes: Uint8Array): string => {
    if (chars + bytes.length > maxChars) count(bytes.length);
    let text = '';
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return btoa(text);
  };

  // Values that JSON cannot express. A value that was met before is named by its number, so that circles end.
  const encode = (value: unknown, met: Map<object, number>): unknown => {
    if (value === undefined || typeof value === 'symbol' || typeof value === 'function') return { v: 'undefined' };
    if (value === null) return { v: 'null' };
    if (typeof value === 'number') {
      if (Number.isNaN(value)) return { v: 'NaN' };
      if (Object.is(value, -0)) return { v: '-0' };
      return Number.isFinite(value) ? value : { v: value > 0 ? 'Infinity' : '-Infinity' };
    }
    if (typeof value === 'bigint') return { bi: value.toString() };
    if (typeof value !== 'object') return value;
    if (value instanceof Error) return { e: { n: value.name, m: value.message, s: value.stack ?? '' } };
    if (value instanceof Date) return { d: value.toJSON() };
    if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } };
    for (const [k, type] of Object.entries(arrays))
      if (value instanceof type)
        return { ta: { b: base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k } };
    if (value instanceof ArrayBuffer) return { ab: { b: base64(new Uint8Array(value)) } };
    const before = met.get(value);
    if (before) return { ref: before };
    const id = met.size + 1;
    met.set(value, id);
    if (value instanceof Map) return { m: [...value].map(([k, v]) => ({ k: encode(k, met), v: encode(v, met) })), id };
    if (value instanceof Set) return { s: [...value].map((v) => encode(v, met)), id };
    if (Array.isArray(value)) return { a: value.map((v) => encode(v, met)), id };
    return { o: Object.keys(value).map((k) => ({ k, v: encode(Reflect.get(value, k), met) })), id };
  };
  const written = (name: string, value: unknown): Named => {
    const isJson = canBeJson(value);
    const form = isJson ? value : encode(value, new Map());
    count(JSON.stringify(form).length + name.length);
    return { [isJson ? name : `${name}Encoded`]: form };
  };

  const pathOf = ({ keyPath }: { keyPath: string | string[] | null }): Named => {
    if (Array.isArray(keyPath)) return { keyPathArray: [...keyPath] };
    return keyPath === null ? {} : { keyPath };
  };

  const readStore = async (store: IDBObjectStore): Promise<Named> => {
    const records: Named[] = [];
    for (let after: IDBKeyRange | null = null; ; ) {
      const [keys, values]: [IDBValidKey[], unknown[]] = await Promise.all([
        done(store.getAllKeys(after, batchSize)),
        done(store.getAll(after, batchSize)),
      ]);
      for (const [i, value] of values.entries())
        records.push({ ...(store.keyPath === null && written('key', keys[i])), ...written('value', value) });
      if (keys.length < batchSize) break;
      after = IDBKeyRange.lowerBound(keys.at(-1), true);
    }
    return {
      name: store.name,
      records,
      indexes: [...store.indexNames].map((name) => {
        const index = store.index(name);
        return { name, ...pathOf(index), multiEntry: index.multiEntry, unique: index.unique };
      }),
      autoIncrement: store.autoIncrement,
      ...pathOf(store),
    };
  };

  const readDatabase = async ({ name = '', version }: IDBDatabaseInfo): Promise<Named> => {
    const database = await done(indexedDB.open(name));
    try {
      const names = [...database.objectStoreNames];
      if (names.length === 0) return { name, version, stores: [] };
      const work = database.transaction(names, 'readonly');
      return { name, version, stores: await Promise.all(names.map((one) => readStore(work.objectStore(one)))) };
    } finally {
      database.close();
    }
  };

  const cut: CollectedStorage['cut'] = [];
  const unlessFull = async (what: CollectedStorage['cut'][number], read: () => unknown): Promise<string> => {
    try {
      return JSON.stringify(await read());
    } catch (error) {
      if (error !== full) throw error;
      cut.push(what);
      return '[]';
    }
  };
  const readLocal = () =>
    Object.keys(localStorage).map((name) => {
      const value = localStorage.getItem(name) ?? '';
      count(name.length + value.length);
      return { name, value };
    });
  const local = await unlessFull('local storage', readLocal);
  // What is left out does not count against the databases.
  if (cut.length > 0) [over, chars] = [chars, 0];
  const readDatabases = async () => Promise.all((await indexedDB.databases()).map(readDatabase));
  const databases = await unlessFull('databases', readDatabases);
  return { origin: location.origin, localStorage: local, indexedDB: databases, cut, chars: chars + over };
}
