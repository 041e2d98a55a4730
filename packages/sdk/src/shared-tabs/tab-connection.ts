// The worker's side of one tab: the streams that it follows, and whether it is still there.

import type { Locks } from '../common/tab-lock.ts';
import { createFollower, type Follower, type Tab } from './follower.ts';
import type { FromTab, FromWorker, Port, Proof } from './messages.ts';
import type { SharedBundle } from './shared-bundle.ts';

type Options = {
  locks: Locks | undefined;
  pingMs: number;
  bundleOf: (baseUrl: string, login: string) => SharedBundle;
};

/** A tab that leaves this many pings unanswered is gone, or asleep. */
const silentPings = 3;
const proofMs = 10_000;

/** Serves one tab, until it is gone. */
export function connectTab(port: Port, { locks, pingMs, bundleOf }: Options): void {
  const post = (message: FromWorker) => port.postMessage(message);
  const { tab, onProof } = createTab(post);
  const following = new Map<number, { follower: Follower; bundle: SharedBundle }>();
  let unanswered = 0;
  let pinging: ReturnType<typeof setInterval> | undefined;

  const leave = (of: number) => {
    const { bundle, follower } = following.get(of) ?? {};
    following.delete(of);
    if (follower) bundle?.remove(follower);
    if (following.size > 0) return;
    clearInterval(pinging);
    pinging = undefined;
  };
  const leaveAll = () => {
    for (const [of, { follower }] of following) {
      // A tab that was only asleep comes back by itself.
      follower.leaveBehind();
      leave(of);
    }
  };
  const ping = () => {
    if (unanswered >= silentPings) return leaveAll();
    unanswered += 1;
    post({ type: 'ping' });
  };
  const follow = ({ of, wanted }: FromTab & { type: 'follow' }) => {
    const bundle = bundleOf(wanted.baseUrl, wanted.login);
    const follower = createFollower({ tab, post: (message) => post({ ...message, of }), onBehind: () => leave(of) });
    following.set(of, { follower, bundle });
    pinging ??= setInterval(ping, pingMs);
    bundle.add(follower, wanted);
  };

  const receive = (message: FromTab) => {
    unanswered = 0;
    if (message.type === 'join') {
      if (message.lock) void locks?.request(message.lock, {}, async () => leaveAll()).catch(() => {});
      post({ type: 'joined' });
    } else if (message.type === 'follow') follow(message);
    else if (message.type === 'taken') following.get(message.of)?.follower.onTaken(message);
    else if (message.type === 'leave') leave(message.of);
    else if (message.type === 'proof') onProof(message.ask, message.proof);
  };
  // Tabs of one origin run one SDK, and no other page can reach this worker.
  port.onmessage = ({ data }) => receive(data as FromTab);
}

/** Asks the tab for authentication, and waits for its answer. */
function createTab(post: (message: FromWorker) => void): { tab: Tab; onProof: (ask: number, proof: Proof) => void } {
  const pending = new Map<number, (proof: Proof) => void>();
  let asks = 0;
  const tab: Tab = {
    prove: (login, refused) =>
      new Promise((resolve) => {
        asks += 1;
        const ask = asks;
        const answer = (proof: Proof) => {
          clearTimeout(late);
          pending.delete(ask);
          resolve(proof);
        };
        const late = setTimeout(answer, proofMs, 'later');
        pending.set(ask, answer);
        post({ type: 'prove', ask, login, refused });
      }),
  };
  return { tab, onProof: (ask, proof) => pending.get(ask)?.(proof) };
}
