// What stands over or in place of the picture: why it cannot be seen, or that it is not live.

import type { Connection, OpenPage, PageTrouble, Session, Takeover } from '../live/api-types.ts';
import { describeAge } from '../live/describe-time.ts';
import type { FrameFacts } from '../live/session-model.ts';

export type PictureIcon = 'globe' | 'image' | 'hidden' | 'lock' | 'moon' | 'offline' | 'closed' | 'broken' | 'refused';
export type PictureState =
  | { kind: 'shown' }
  /** In place of the picture. */
  | { kind: 'instead'; icon: PictureIcon; title: string; text: string }
  /** A pill over the picture, which is dimmed where it is old. */
  | { kind: 'pill'; icon: PictureIcon; text: string; isDimmed: boolean };

type Facts = {
  session: Pick<Session, 'status' | 'browser' | 'profile_label'>;
  frame: FrameFacts | undefined;
  pages: readonly OpenPage[];
  takeover: Takeover | null;
  drives: boolean;
  connection: Connection;
  now: number;
};

export function pictureState({ session, frame, pages, takeover, drives, connection, now }: Facts): PictureState {
  if (!frame) return withoutFrame(session);
  const withheld = drives ? undefined : withheldPicture(frame, takeover);
  if (withheld) return withheld;
  const age = describeAge(frame.recorded_at, now);
  if (session.status === 'closed')
    return { kind: 'pill', icon: 'closed', text: `Closed · picture of ${age} ago`, isDimmed: true };
  if (connection === 'reconnecting')
    return { kind: 'pill', icon: 'offline', text: `Reconnecting · frame of ${age} ago`, isDimmed: false };
  if (connection === 'refused')
    return { kind: 'pill', icon: 'offline', text: `Not live · frame of ${age} ago`, isDimmed: false };
  if (session.browser === 'cold')
    return { kind: 'pill', icon: 'moon', text: `The browser rests · picture of ${age} ago`, isDimmed: true };
  if (session.browser === 'starting')
    return { kind: 'pill', icon: 'globe', text: 'The browser is being opened', isDimmed: true };
  const trouble = pages.find(({ active }) => active)?.trouble;
  return trouble ? inTrouble(trouble, age) : { kind: 'shown' };
}

/** Chromium's own words for it would be of a proxy that nobody knows. */
function inTrouble({ kind, target, reason }: PageTrouble, age: string): PictureState {
  if (kind === 'crashed')
    return { kind: 'pill', icon: 'broken', text: `The page crashed · picture of ${age} ago`, isDimmed: true };
  const why = reason?.endsWith('_address') ? refusals.address : refusals[reason ?? ''];
  const text = `${target ?? 'This address'} may not be reached from here${why ? `: ${why}` : ''}`;
  return { kind: 'pill', icon: 'refused', text, isDimmed: false };
}

const refusals: Record<string, string> = {
  address: 'it is no public address',
  denied_domain: 'its domain is refused',
  not_allowed_domain: 'only other domains are allowed',
};

function withoutFrame({ browser, profile_label }: Facts['session']): PictureState {
  if (browser === 'starting') {
    const text = profile_label ? `With the profile “${profile_label}”` : 'The page appears in a moment';
    return { kind: 'instead', icon: 'globe', title: 'Opening the browser', text };
  }
  return { kind: 'instead', icon: 'image', title: 'Nothing to see yet', text: 'The page appears with the first step.' };
}

/** A PNG stands for a picture that the server withholds. */
function withheldPicture(frame: FrameFacts, takeover: Takeover | null): PictureState | undefined {
  if (!frame.private || frame.content_type !== 'image/png') return undefined;
  const instead = (icon: PictureIcon, title: string, text: string) => ({ kind: 'instead' as const, icon, title, text });
  switch (frame.private_reason) {
    case 'driven':
      return takeover?.held_by_name
        ? instead('hidden', `Hidden while ${takeover.held_by_name} drives`, 'What they see and type is theirs alone.')
        : instead('hidden', 'Hidden while a person drives', 'What they see and type is theirs alone.');
    case 'secret_field':
      return instead('lock', 'A password is being entered', 'The picture is back when it is done.');
    case 'page_not_masked':
      return instead(
        'lock',
        'This page cannot be covered yet',
        'The picture is back when its fields are covered with dots.',
      );
    case 'unknown_keys':
      return instead('lock', 'Covered until the next page', 'A person typed where no dots can cover it.');
    default:
      return instead('hidden', 'This page is private', 'The picture is back when it is not.');
  }
}
