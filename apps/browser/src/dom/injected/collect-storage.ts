// What a page tells of its site's local storage and databases, in the form from which the browser library restores them.

import { z } from 'zod';

/** More of one site would not fit into a state; it is not even put together. In characters of JSON. */
const MAX_CHARS = 4 * 1024 * 1024;
/** Records are read so many at a time. */
const BATCH = 200;
const MAX_DEPTH = 1000;

/** `cut`: what is left out because it is too much. `chars`: of all that was read, also for that. */
export const Collected = z.object({
  origin: z.string(),
  /** Each is JSON: so it can be weighed without writing it down once more. */
  localStorage: z.string(),
  indexedDB: z.string(),
  cut: z.array(z.enum(['local storage', 'databases'])),
  chars: z.number(),
});

/** Runs in the page, in a world of its own. */
export const collectHere = `(async () => {
  // Thrown when it is too much.
  const full = { name: 'full' };
  let chars = 0;
  let over = 0;
  const count = (more) => {
    chars += more;
    if (chars > ${MAX_CHARS}) throw full;
  };

  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  // Of one that holds itself, it throws.
  const isPlain = (value, depth = 0) => {
    if (depth > ${MAX_DEPTH}) throw new Error('too deep');
    const isInside = (one) => isPlain(one, depth + 1);
    return value === null || typeof value === 'string' || typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) ||
      (Array.isArray(value) ? value.every(isInside) : value?.constructor === Object && Object.values(value).every(isInside));
  };
  const canBeJson = (value) => {
    try {
      return isPlain(value);
    } catch {
      return false;
    }
  };

  const arrays = { i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array,
    i32: Int32Array, ui32: Uint32Array, f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array };
  const base64 = (bytes) => {
    if (chars + bytes.length > ${MAX_CHARS}) count(bytes.length);
    let text = '';
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return btoa(text);
  };

  // Values that JSON has no words for. What was met before is named by its number, so that circles end.
  const encode = (value, met) => {
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
      if (value instanceof type) return { ta: { b: base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k } };
    if (value instanceof ArrayBuffer) return { ab: { b: base64(new Uint8Array(value)) } };
    const before = met.get(value);
    if (before) return { ref: before };
    const id = met.size + 1;
    met.set(value, id);
    if (value instanceof Map) return { m: [...value].map(([k, v]) => ({ k: encode(k, met), v: encode(v, met) })), id };
    if (value instanceof Set) return { s: [...value].map((v) => encode(v, met)), id };
    if (Array.isArray(value)) return { a: value.map((v) => encode(v, met)), id };
    return { o: Object.keys(value).map((k) => ({ k, v: encode(value[k], met) })), id };
  };
  const written = (name, value) => {
    const isJson = canBeJson(value);
    const form = isJson ? value : encode(value, new Map());
    count(JSON.stringify(form).length + name.length);
    return { [isJson ? name : name + 'Encoded']: form };
  };

  const pathOf = ({ keyPath }) => (Array.isArray(keyPath) ? { keyPathArray: [...keyPath] } : keyPath === null ? {} : { keyPath });

  const readStore = async (store) => {
    const records = [];
    for (let after = null; ; ) {
      const [keys, values] = await Promise.all([done(store.getAllKeys(after, ${BATCH})), done(store.getAll(after, ${BATCH}))]);
      for (const [i, value] of values.entries())
        records.push({ ...(store.keyPath === null && written('key', keys[i])), ...written('value', value) });
      if (keys.length < ${BATCH}) break;
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

  const readDatabase = async ({ name, version }) => {
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

  const cut = [];
  const unlessFull = async (what, read) => {
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
      const value = localStorage.getItem(name);
      count(name.length + value.length);
      return { name, value };
    });
  const local = await unlessFull('local storage', readLocal);
  // What is not kept takes no room.
  if (cut.length > 0) [over, chars] = [chars, 0];
  const databases = await unlessFull('databases', async () => Promise.all((await indexedDB.databases()).map(readDatabase)));
  return { origin: location.origin, localStorage: local, indexedDB: databases, cut, chars: chars + over };
})()`;
