/// <reference lib="dom" />
// Runs in the page. Makes the local storage of the page's site what it is given. Only its text is sent; it must not use
// anything of this file outside itself.

export function putLocalStorage(origin: string, items: { name: string; value: string }[]): boolean {
  // The document may be another by now.
  if (location.origin !== origin) return false;
  const wanted = new Map(items.map(({ name, value }) => [name, value]));
  for (const name of Object.keys(localStorage)) if (!wanted.has(name)) localStorage.removeItem(name);
  for (const [name, value] of wanted) if (localStorage.getItem(name) !== value) localStorage.setItem(name, value);
  return true;
}
