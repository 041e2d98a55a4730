// Pictures as addresses of this page: what is shown and the last ones that were looked at stay, the others are given back.

type Options = {
  most: number;
  read: (id: string) => Promise<Blob>;
  /** Of `URL`. */
  create: (blob: Blob) => string;
  revoke: (url: string) => void;
};

type Kept = { picture: Promise<string>; holders: number };
type Held = { picture: Promise<string>; letGo: () => void };

export function createPictureCache({ most, read, create, revoke }: Options) {
  /** Those that were asked for longest ago come first. */
  const kept = new Map<string, Kept>();

  /** A picture that could not be read is not kept: it may be there the next time. */
  function begin(id: string): Kept {
    const one: Kept = { picture: read(id).then(create), holders: 0 };
    one.picture.catch(() => kept.get(id) === one && kept.delete(id));
    return one;
  }

  function giveBack(): void {
    for (const [id, { picture, holders }] of kept) {
      if (kept.size <= most) return;
      if (holders > 0) continue;
      kept.delete(id);
      picture.then(revoke, () => undefined);
    }
  }

  return {
    /** The picture stays until it is let go, however many are asked for after it, and also while it is being read. */
    hold(id: string): Held {
      const one = kept.get(id) ?? begin(id);
      kept.delete(id);
      kept.set(id, one);
      one.holders += 1;
      giveBack();
      const letGo = () => {
        one.holders -= 1;
        giveBack();
      };
      return { picture: one.picture, letGo };
    },
  };
}
