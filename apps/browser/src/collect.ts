// What a page tells of its site's local storage and databases, in the form from which the browser library restores them.

/** Runs in the page, and answers with JSON. */
export const collectHere = `(async () => {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  const isPlain = (value) =>
    value === null || typeof value === 'string' || typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) ||
    (Array.isArray(value) ? value.every(isPlain) : value?.constructor === Object && Object.values(value).every(isPlain));

  const arrays = { i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array,
    i32: Int32Array, ui32: Uint32Array, f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array };
  const base64 = (bytes) => {
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
  const written = (name, value) => (hasCircle(value) || !isPlain(value)) ? { [name + 'Encoded']: encode(value, new Map()) } : { [name]: value };
  const hasCircle = (value) => {
    try {
      JSON.stringify(value);
      return false;
    } catch {
      return true;
    }
  };

  const pathOf = ({ keyPath }) => (Array.isArray(keyPath) ? { keyPathArray: [...keyPath] } : keyPath === null ? {} : { keyPath });

  const readStore = async (store) => {
    const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
    return {
      name: store.name,
      records: values.map((value, i) => ({ ...(store.keyPath === null && written('key', keys[i])), ...written('value', value) })),
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

  return JSON.stringify({
    origin: location.origin,
    localStorage: Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) })),
    indexedDB: await Promise.all((await indexedDB.databases()).map(readDatabase)),
  });
})()`;
