/** Goes to one of several servers, and to the next where that one is not there: what a load balancer does. */
export function createFailover(baseUrls: readonly string[]): typeof fetch {
  let current = 0;
  return async (input, init) => {
    // The client always gives a URL.
    const url = new URL(String(input));
    const origin = new URL(baseUrls[current % baseUrls.length] ?? '');
    url.host = origin.host;
    const tried = current;
    try {
      const response = await fetch(url, init);
      // Up, and without its database: another one may have it again sooner.
      if (response.status === 503 && tried === current) current += 1;
      return response;
    } catch (error) {
      if (tried === current) current += 1;
      throw error;
    }
  };
}
