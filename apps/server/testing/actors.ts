// Actors of every kind and things of theirs, for tests of who may do what.

import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@pilothouse/sdk';
import { type Caller, newId, progressOf } from '@pilothouse/store';
import { createPasswords } from '../src/auth/passwords.ts';
import { hashOf, newToken } from '../src/auth/tokens.ts';
import type { TestServer } from './server.ts';
import { makeDecision, settings } from './tasks.ts';

/** Actors whose token is refused, and the code of the refusal. */
export const refusedActors = {
  none: 'token_missing',
  malformed: 'token_invalid',
  unissued: 'token_invalid',
  expired: 'token_expired',
  loggedOut: 'token_invalid',
  refreshToken: 'token_invalid',
  disabled: 'token_invalid',
  removedKey: 'token_invalid',
} as const;
/** Guests with a token of the owner's session that is over, or never was one. */
export const refusedGuests = [
  'malformedShare',
  'unissuedShare',
  'expiredShare',
  'replacedShare',
  'revokedShare',
] as const;
/** The planner created a task in the owner's session, and owns nothing else. */
export const liveActors = ['owner', 'ownerKey', 'planner', 'stranger', 'admin'] as const;
export type RefusedActor = keyof typeof refusedActors;
export type LiveActor = (typeof liveActors)[number];
/** The guest has a live share of the owner's session. */
export type GuestActor = 'guest' | (typeof refusedGuests)[number];
export type Actor = RefusedActor | LiveActor | GuestActor;

export type Thing = 'session' | 'task' | 'login' | 'key' | 'profile' | 'secret';
/** Whose thing an id names: `planned` is the planner's task in the owner's session, and only a task. */
export const holders = ['owners', 'planned', 'strangers'] as const;
/** Ids that name nothing; `shouted` would name the owner's thing, were it written in lower case. */
export const unknownTargets = ['absent', 'shouted', 'malformed'] as const;
export type Holder = (typeof holders)[number];
export type Target = Holder | (typeof unknownTargets)[number];

export type Actors = {
  username: string;
  /** A live refresh token of the owner. */
  refreshToken: string;
  /** Undefined if there is no such thing. */
  idOf(thing: Thing, target: Target): string | undefined;
  /** The observation and the file of the task; those of the owner's task if there is no such task. */
  observationOf(taskId: string): string;
  fileOf(taskId: string): string;
  /** A frame of the session; the owner's if there is no such session. */
  frameOf(sessionId: string): string;
  /** The token that the actor sends; made when it is first needed. */
  bearerOf(actor: RefusedActor | LiveActor): Promise<string | undefined>;
  /** The share token that a guest sends; undefined for other actors. */
  shareOf(actor: Actor): string | undefined;
};
export type ActorSets = { newActors(): Promise<Actors> };

type Person = Caller & { username: string };
type Servers = { server: TestServer; gate: TestServer; brief: TestServer };
type MadeThing = { id: string; observationId?: string; fileId?: string; frameId?: string };

export const password = 'a lamp in the harbour';
const absentId = '01a1dd00-0000-7000-8000-000000000001';
const viewport = { width: 800, height: 600 };
const picture = { key: 'cast/picture.png', bytes: Buffer.from('89504e47', 'hex') };

/**
 * Makes sets of actors; a test that changes something takes a set of its own. Things are stored by `server`; actors log
 * in at `gate`, and at `brief` for a token that lives one second. All three use the same database.
 */
export async function openActorSets({ server: { store }, gate, brief }: Servers): Promise<ActorSets> {
  const { baseUrl } = gate;
  const passwordHash = await createPasswords().hash(password);
  await store.blobs.put(picture.key, picture.bytes);

  async function newPerson(kind: string): Promise<Person> {
    const username = `${kind}-${newId()}`;
    const user = await store.transaction((tx) =>
      store.users.create(tx, { username, email: `${username}@example.test`, passwordHash }),
    );
    if (!user) throw new Error(`${username} exists`);
    if (kind === 'admin') await store.users.setRole(user.id, 'admin');
    return { id: user.id, username, role: kind === 'admin' ? 'admin' : 'user' };
  }

  const newProfile = async (sessionId: string, { id }: Person): Promise<MadeThing> => {
    const profile = { label: 'kept', sessionId, state: { storage: {}, pages: [] } };
    const saved = await store.transaction((tx) => store.profiles.save(tx, id, profile));
    if (!saved) throw new Error('no profile was made');
    return saved;
  };

  /** Named, and found by its name, which is as no other is. */
  const newSecret = async ({ id }: Person): Promise<MadeThing> => {
    const secret = { name: `s${newId()}`, origins: ['https://example.com'], value: 'a key of brass' };
    await store.transaction((tx) => store.secrets.put(tx, id, secret));
    return { id: secret.name };
  };

  const newSession = (owner: Person) => store.transaction((tx) => store.sessions.create(tx, owner, { viewport }));

  /** Not by a chat: the API refuses a task in the session of another user. */
  const newTask = (sessionId: string, creator: Person): Promise<MadeThing> =>
    store.change(sessionId, async (tx, append) => {
      const plan = { steps: [{ action: 'screenshot' }] };
      const about = { title: 'x', prompt: 'x', plan, settings, totalSteps: 1 };
      const task = await store.tasks.create(tx, creator, { id: newId(), sessionId, ...about });
      const { seq, recordedAt } = await append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });
      const image = { content_type: 'image/png', width: 1, height: 1, blob_key: picture.key, recorded_at: recordedAt };
      const observation = { id: newId(), task_id: task.id, step_id: `${task.id}:1`, seq, kind: 'screenshot' } as const;
      await store.observations.add(tx, { ...observation, ...image, byte_len: picture.bytes.length });
      const file = { id: newId(), task_id: task.id, name: 'x.png', content_type: 'image/png', blob_key: picture.key };
      await store.files.add(tx, { ...file, byte_len: picture.bytes.length }, Number.MAX_SAFE_INTEGER);
      await makeDecision(tx, task.id, { view: 'x', pictureKey: picture.key, pictureType: 'image/png' });
      const route = JSON.stringify({ session: sessionId, page: null, frame: null, url: null, title: null });
      const frame = { session_id: sessionId, frame_id: newId(), task_id: task.id, seq, device_scale: 1, route };
      await store.frames.put(tx, { ...frame, ...image, byte_len: picture.bytes.length });
      return { id: task.id, observationId: observation.id, fileId: file.id, frameId: frame.frame_id };
    });

  async function newLogin({ id: userId }: Person): Promise<MadeThing & { refreshToken: string }> {
    const refreshToken = newToken('refresh');
    const hashes = { access: hashOf(newToken('access')), refresh: hashOf(refreshToken) };
    const id = await store.transaction((tx) =>
      store.logins.begin(tx, { userId, address: null, userAgent: null }, hashes),
    );
    return { id, refreshToken };
  }
  const newKey = ({ id }: Person) => store.keys.add(id, 'a key', hashOf(newToken('key')), undefined);

  const logIn = ({ username }: Person, at = baseUrl) =>
    createClient({ baseUrl: at }).login({ username_or_email: username, password });
  const accessOf = async (person: Person) => (await logIn(person)).access_token;
  const clientOf = (token: string) => createClient({ baseUrl, token: () => token });
  async function keyOf(person: Person) {
    const client = clientOf(await accessOf(person));
    return { client, key: (await client.createKey({ label: 'a program' })).key };
  }

  /** Shares of one session; each of those that are over was its live one before. */
  async function newShares(sessionId: string): Promise<Record<GuestActor, string>> {
    const share = async (secs: number) => {
      const token = newToken('share');
      await store.change(sessionId, (tx) => store.shares.put(tx, sessionId, hashOf(token), secs));
      return token;
    };
    const revokedShare = await share(3600);
    await store.change(sessionId, (tx) => store.shares.remove(tx, sessionId));
    // Expired as it was made, by the clock of the database.
    const expiredShare = await share(0);
    const replacedShare = await share(3600);
    const guest = await share(3600);
    return {
      malformedShare: `${guest}x`,
      unissuedShare: newToken('share'),
      expiredShare,
      replacedShare,
      revokedShare,
      guest,
    };
  }

  type People = { owner: Person; planner: Person; stranger: Person };
  const bearerFor: Record<RefusedActor | LiveActor, (people: People) => Promise<string | undefined>> = {
    none: async () => undefined,
    malformed: async () => 'pha_x',
    unissued: async () => newToken('access'),
    async expired({ owner }) {
      const { access_token, expires_in } = await logIn(owner, brief.baseUrl);
      await sleep(expires_in * 1000 + 100);
      return access_token;
    },
    async loggedOut({ owner }) {
      const token = await accessOf(owner);
      await clientOf(token).logout();
      return token;
    },
    refreshToken: async ({ owner }) => (await logIn(owner)).refresh_token,
    async disabled() {
      const person = await newPerson('disabled');
      const token = await accessOf(person);
      await store.users.setDisabled(person.id, true);
      return token;
    },
    async removedKey({ owner }) {
      const { client, key } = await keyOf(owner);
      await client.deleteKey({ id: key.id });
      return key.key_token;
    },
    owner: ({ owner }) => accessOf(owner),
    ownerKey: async ({ owner }) => (await keyOf(owner)).key.key_token,
    planner: ({ planner }) => accessOf(planner),
    stranger: ({ stranger }) => accessOf(stranger),
    admin: async () => accessOf(await newPerson('admin')),
  };

  return {
    async newActors() {
      const [owner, planner, stranger] = await Promise.all(['owner', 'planner', 'stranger'].map(newPerson));
      if (!owner || !planner || !stranger) throw new Error('no user was made');
      const [ownSession, otherSession] = await Promise.all([owner, stranger].map(newSession));
      if (!ownSession || !otherSession) throw new Error('no session was made');
      const [login, ...made] = await Promise.all([
        newLogin(owner),
        newLogin(stranger),
        newKey(owner),
        newKey(stranger),
      ]);
      const [otherLogin, key, otherKey] = made;
      const tasks = {
        owners: await newTask(ownSession.id, owner),
        planned: await newTask(ownSession.id, planner),
        strangers: await newTask(otherSession.id, stranger),
      };
      const things: Record<Thing, Partial<Record<Holder, MadeThing>>> = {
        session: { owners: ownSession, strangers: otherSession },
        task: tasks,
        login: { owners: login, strangers: otherLogin },
        key: { owners: key, strangers: otherKey },
        profile: {
          owners: await newProfile(ownSession.id, owner),
          strangers: await newProfile(otherSession.id, stranger),
        },
        secret: { owners: await newSecret(owner), strangers: await newSecret(stranger) },
      };
      const taskOf = (taskId: string) => Object.values(tasks).find(({ id }) => id === taskId) ?? tasks.owners;
      const shares = await newShares(ownSession.id);
      const bearers = new Map<Actor, Promise<string | undefined>>();
      return {
        username: owner.username,
        refreshToken: login.refreshToken,
        idOf(thing, target) {
          if (target === 'absent') return absentId;
          if (target === 'malformed') return 'abc';
          return target === 'shouted' ? things[thing].owners?.id.toUpperCase() : things[thing][target]?.id;
        },
        observationOf: (taskId) => taskOf(taskId).observationId ?? '',
        fileOf: (taskId) => taskOf(taskId).fileId ?? '',
        frameOf: (sessionId) => (sessionId === otherSession.id ? tasks.strangers : tasks.owners).frameId ?? '',
        shareOf: (actor) => (isGuest(actor) ? shares[actor] : undefined),
        bearerOf(actor) {
          const bearer = bearers.get(actor) ?? bearerFor[actor]({ owner, planner, stranger });
          bearers.set(actor, bearer);
          return bearer;
        },
      };
    },
  };
}

export const isGuest = (actor: Actor): actor is GuestActor =>
  actor === 'guest' || refusedGuests.some((refused) => refused === actor);
