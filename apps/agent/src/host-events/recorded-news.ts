// Which frames of a session show something that the recording does not have yet.

import { createHash } from 'node:crypto';
import type { Frame } from '@pilothouse/bus';

/** A title is often known only after the picture. A page that changes it for ever must not fill the recording. */
const mostTitlesOfAPicture = 3;

type Recorded = { picture: string; place: string; titles: number };

/** Answers undefined for a frame that is not news. `recorded` says that it is in the recording now. */
export function createNewsFilter() {
  let last: Recorded | undefined;
  return (shown: Frame): { recorded(): void } | undefined => {
    const next = { picture: pictureOf(shown), place: placeOf(shown) };
    const isSamePicture = next.picture === last?.picture;
    const titles = isSamePicture ? (last?.titles ?? 0) + 1 : 1;
    if (isSamePicture && (next.place === last?.place || titles > mostTitlesOfAPicture)) return undefined;
    return {
      recorded() {
        last = { ...next, titles };
      },
    };
  };
}

/** All private frames count as equal, so a row of them is recorded once. */
const pictureOf = ({ header, image }: Frame): string =>
  header.private ? 'private' : createHash('sha256').update(image).digest('base64');

const placeOf = ({ header }: Frame): string =>
  header.private ? 'private' : JSON.stringify([header.page, header.url, header.title]);
