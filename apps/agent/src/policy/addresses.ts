// The addresses in what people wrote: whole, or only a host, with or without a scheme.

export type WrittenAddress = { url: URL; hasScheme: boolean };

const addresses =
  /(?:https?:\/\/)?(?:(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d{1,5})?(?:[/?#][^\s"'`<>]*)?/giu;
/** Ends a sentence more often than an address. */
const lastSigns = /[.,;:!?)\]}]+$/;

export function addressesIn(said: readonly string[]): WrittenAddress[] {
  return [...said.join('\n').matchAll(addresses)].flatMap(([whole]) => {
    const hasScheme = /^https?:/i.test(whole);
    return [...new Set([whole, whole.replace(lastSigns, '')])]
      .map((one) => URL.parse(hasScheme ? one : `https://${one}`))
      .flatMap((url) => (url ? { url, hasScheme } : []));
  });
}

/** A person who wrote no scheme, or the weaker one, meant the stronger one too. */
export function isSameAddress({ url, hasScheme }: WrittenAddress, to: URL): boolean {
  const isScheme = !hasScheme || to.protocol === url.protocol || to.protocol === 'https:';
  return isScheme && to.host === url.host && restOf(to) === restOf(url);
}

const restOf = ({ pathname, search, hash }: URL): string => `${pathname.replace(/\/$/, '')}${search}${hash}`;
