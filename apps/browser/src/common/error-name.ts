// The name of an error, for logs and metrics. Never its message, which may quote a page.

/** An error of a page may have a name of the page's choice: only what looks like a name of a class is one. */
export function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error';
}
