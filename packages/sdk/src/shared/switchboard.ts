import type { Locks } from '../tab-lock.ts';
import { createFollower, type Follower, type Tab } from './follower.ts';
import type { FromTab, FromWorker, Port, Proof } from './messages.ts';
import { createParty, type Party } from './party.ts';
import { createTurns, type Turns } from './turns.ts';

type Options = {
  fetch: typeof fetch;
  /** Tell at once when a tab is gone; without them it is noticed by its silence. */
  locks: Locks | undefined;
  pingMs?: number;
  turnMs?: number;
};

/** Of the six connections that a browser has for one server; the others are for plain requests. */
const responses = 4;
/** A tab that says nothing for so many pings is gone, or asleep. */
const silentPings = 3;
const proofMs = 10_000;

/** What the tabs of a browser share: each says what it follows, and what is the same to several is asked for once. */
export function createSwitchboard({ fetch, locks, pingMs = 10_000, turnMs = 5000 }: Options) {
  const parties = new Map<string, Party>();
  const turnsByServer = new Map<string, Turns>();

  function partyOf(baseUrl: string, login: string): Party {
    const key = JSON.stringify([baseUrl, login]);
    const turns = turnsByServer.get(baseUrl) ?? createTurns({ places: responses, turnMs });
    turnsByServer.set(baseUrl, turns);
    const onEmpty = () => parties.delete(key);
    const party = parties.get(key) ?? createParty({ baseUrl, login, turns, fetch, onEmpty });
    parties.set(key, party);
    return party;
  }

  return {
    /** Serves one tab, until it is gone. */
    connect(port: Port): void {
      const post = (message: FromWorker) => port.postMessage(message);
      const following = new Map<number, { follower: Follower; party: Party }>();
      const asked = new Map<number, (proof: Proof) => void>();
      let asks = 0;
      let unanswered = 0;
      let pinging: ReturnType<typeof setInterval> | undefined;

      const tab: Tab = {
        prove: (login, refused) =>
          new Promise((resolve) => {
            asks += 1;
            const ask = asks;
            const answer = (proof: Proof) => {
              clearTimeout(late);
              asked.delete(ask);
              resolve(proof);
            };
            const late = setTimeout(answer, proofMs, 'later');
            asked.set(ask, answer);
            post({ type: 'prove', ask, login, refused });
          }),
      };

      const leave = (of: number) => {
        const { party, follower } = following.get(of) ?? {};
        following.delete(of);
        if (follower) party?.remove(follower);
        if (following.size > 0) return;
        clearInterval(pinging);
        pinging = undefined;
      };
      const leaveAll = () => {
        for (const [of, { follower }] of following) {
          // One that was only asleep comes back by itself.
          follower.leaveBehind();
          leave(of);
        }
      };
      const ping = () => {
        if (unanswered >= silentPings) return leaveAll();
        unanswered += 1;
        post({ type: 'ping' });
      };

      const take = (message: FromTab) => {
        unanswered = 0;
        if (message.type === 'join') {
          if (message.lock) void locks?.request(message.lock, {}, async () => leaveAll()).catch(() => {});
          post({ type: 'joined' });
        } else if (message.type === 'follow') {
          const { of, wanted } = message;
          const party = partyOf(wanted.baseUrl, wanted.login);
          const follower = createFollower({ tab, post: (told) => post({ ...told, of }), onBehind: () => leave(of) });
          following.set(of, { follower, party });
          pinging ??= setInterval(ping, pingMs);
          party.add(follower, wanted);
        } else if (message.type === 'taken') following.get(message.of)?.follower.onTaken(message);
        else if (message.type === 'leave') leave(message.of);
        else if (message.type === 'proof') asked.get(message.ask)?.(message.proof);
      };
      // Tabs of one origin run one SDK: nobody else can reach this worker.
      port.onmessage = ({ data }) => take(data as FromTab);
    },
  };
}
