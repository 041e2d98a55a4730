// The operator's command for blobs. Returns what it did, in words.

import { stat } from 'node:fs/promises';
import { type Blobs, type CopyCounts, copyBlobs, type Store } from '@pilothouse/store';
import { auditData, auditEventOf, plural, Refusal } from './command.ts';

export type BlobPlaces = {
  /** A folder or a bucket by what the operator typed. */
  open: (place: string) => Promise<Blobs>;
  /** Called now and then while it copies. */
  tell: (line: string) => void;
  /** Aborted where the operator stops it. */
  signal: AbortSignal;
};

const tellEveryMs = 10_000;

export function createBlobCommands(store: Pick<Store, 'audit'>, { open, tell, signal }: BlobPlaces) {
  async function copyAll(from: Blobs, to: Blobs): Promise<CopyCounts> {
    let toldAt = Date.now();
    const onProgress = (counts: CopyCounts) => {
      if (Date.now() - toldAt < tellEveryMs) return;
      toldAt = Date.now();
      tell(inWords(counts));
    };
    return copyBlobs({ from, to, signal, onProgress });
  }

  return {
    /** Removes nothing, and can be run again: what is there already is compared, and not copied. */
    async copy(fromPlace: string, toPlace: string): Promise<string> {
      const places = { ...auditData, from: fromPlace, to: toPlace };
      const audit = (outcome: string, data = {}) =>
        store.audit.add({ event: auditEventOf('copy-blobs'), outcome, data: { ...places, ...data } });
      const refuse = async (reason: string): Promise<never> => {
        await audit('refused');
        throw new Refusal(reason);
      };
      const reason = await whyNot(fromPlace, toPlace);
      if (reason) return refuse(reason);
      const from = await open(fromPlace).catch((error: Error) => refuse(error.message));
      try {
        const to = await open(toPlace).catch((error: Error) => refuse(error.message));
        try {
          const counts = await copyAll(from, to);
          const { failures: _, ...numbers } = counts;
          const isWhole = counts.failed === 0 && !signal.aborted;
          await audit(isWhole ? 'success' : 'incomplete', numbers);
          if (!isWhole) throw new Refusal(incomplete(counts));
          return inWords(counts);
        } finally {
          to.close();
        }
      } finally {
        from.close();
      }
    },
  };
}

/** A folder that is not there looks like an empty one to what reads blobs: a slip would pass for a whole copy. */
async function whyNot(fromPlace: string, toPlace: string): Promise<string | undefined> {
  const [from = '', to = ''] = [fromPlace, toPlace].map((place) => `${place.replace(/\/+$/, '')}/`);
  if (from === to) return 'These are the same place.';
  if (from.startsWith(to) || to.startsWith(from)) return 'One of these places is inside the other.';
  if (!fromPlace.startsWith('/')) return undefined;
  const found = await stat(fromPlace).catch(() => undefined);
  return found?.isDirectory() ? undefined : `${fromPlace}: there is no such folder`;
}

const inWords = ({ copied, copiedBytes, same, gone, failed }: CopyCounts): string =>
  [
    `${plural(copied, 'blob')} copied (${copiedBytes} bytes)`,
    `${same} there already`,
    ...(gone > 0 ? [`${gone} removed meanwhile`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ');

const incomplete = (counts: CopyCounts): string =>
  [
    inWords(counts),
    ...counts.failures.map(({ key, reason }) => `${key}: ${reason}`),
    'Not everything was copied: run it again.',
  ].join('\n');
