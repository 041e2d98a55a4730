// Pictures as addresses of this page: the last ones that were looked at stay, and the others are given back.

type Options = {
  most: number;
  read: (id: string) => Promise<Blob>;
  /** Of `URL`. */
  create: (blob: Blob) => string;
  revoke: (url: string) => void;
};

export function createPictureCache({ most, read, create, revoke }: Options) {
  const kept = new Map<string, Promise<string>>();

  /** A picture that could not be read is not kept: it may be there the next time. */
  function begin(id: string): Promise<string> {
    const picture = read(id).then(create);
    picture.catch(() => kept.get(id) === picture && kept.delete(id));
    return picture;
  }

  return {
    get(id: string): Promise<string> {
      const picture = kept.get(id) ?? begin(id);
      kept.delete(id);
      kept.set(id, picture);
      const [oldest] = kept;
      if (kept.size > most && oldest) {
        kept.delete(oldest[0]);
        oldest[1].then(revoke, () => undefined);
      }
      return picture;
    },
  };
}
