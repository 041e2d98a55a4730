// A hostile program sends every command of this Chromium through the door, with whatever might lead out of its session. No file
// of the machine is read or written, no server of the machine is reached, nothing of another user is seen, every command is
// answered, and the host and the session of the other user are as before.

import { type Client, createClient } from '@pilothouse/sdk';
import { verdictOf } from '../../apps/browser/src/cdp/filter/commands.ts';
import { domainsOf } from '../../apps/browser/testing/protocol.ts';
import { attachToPage, connectRaw, evaluate, type RawClient } from '../../testkit/cdp/raw-client.ts';
import { whenFree } from '../../testkit/cdp/when-free.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';
import { type HostileHand, openHand } from './hostile-hand.ts';
import { createHostileParams, type HostileParams, type HostileTexts } from './hostile-params.ts';
import { type Prey, startPrey } from './hostile-site.ts';
import { playTricks } from './hostile-tricks.ts';

const shell = '/usr/lib/chromium/chromium-headless-shell';
const password = 'a long password of a test';
/** Longer than a busy machine takes; what may be silent is not waited for as long. */
const answerMs = 20_000;
const silenceMs = 5000;
const settings = { WRITE_LIMIT_PER_USER: '100000' };

/** It ends the connection, so it comes last. */
const leaves = 'Browser.close';

/** What opens, reads, runs or sends something. */
const farReaching =
  /^(Target|Browser|Page|Runtime|DOM|Fetch|IO|Storage|Input)\.|^Network\.(loadNetworkResource|replayXHR)$/;

/** Commands that Chromium may leave without an answer, and why. */
const mayBeSilent: Record<string, string> = {
  'CSS.takeComputedStyleUpdates': 'answers when a style changes that is tracked',
  'Input.synthesizeScrollGesture': 'answers when the gesture is over, which takes as long as its parameters say',
  'Input.synthesizeTapGesture': 'answers when the gesture is over, which takes as long as its parameters say',
};

type Options = { stack: Stack; isSmall: boolean };

export async function attackByCommands({ stack, isSmall }: Options) {
  const [port, prey, domains] = await Promise.all([freePort(), startPrey(), domainsOf(shell)]);
  const before = process.env.WRITE_LIMIT_PER_USER;
  Object.assign(process.env, settings);
  try {
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: false, sites: [prey.siteUrl] });
    const baseUrl = `http://127.0.0.1:${port}`;
    const [ann, ben] = [await register(baseUrl, 'ann'), await register(baseUrl, 'ben')];
    const pid = stack.status().processes['browser-1']?.pid;
    const params = createHostileParams(domains);
    const first = await attackFrom(ann, ben, { prey, params, methods: params.methods, isSmall });
    // The other way round: what a session can reach of another must not depend on which was first.
    const between = params.methods.filter((method) => /^(Target|Browser|Storage)\./.test(method));
    const second = await attackFrom(ben, ann, { prey, params, methods: between, isSmall });
    const wrong = [...first.wrong, ...second.wrong, ...(await prey.reached())];
    if (stack.status().processes['browser-1']?.pid !== pid) wrong.push('the host ended');
    return { wrong, first: first.figures, second: second.figures };
  } finally {
    if (before === undefined) delete process.env.WRITE_LIMIT_PER_USER;
    else process.env.WRITE_LIMIT_PER_USER = before;
    await prey.close();
  }
}

async function register(baseUrl: string, username: string): Promise<Client> {
  const anybody = createClient({ baseUrl });
  await anybody.register({ username, email: `${username}@example.test`, password });
  const { access_token: token } = await anybody.login({ username_or_email: username, password });
  return createClient({ baseUrl, token: () => token });
}

type Attack = { prey: Prey; params: HostileParams; methods: string[]; isSmall: boolean };
type Said = { commands: number; answered: number; refused: number; errors: number; unanswered: Record<string, number> };

async function attackFrom(attacker: Client, other: Client, { prey, params, methods, isSmall }: Attack) {
  const victim = await openVictim(other, prey);
  const { session } = await attacker.createSession();
  const address = async () => (await attacker.openProgramAccess({ id: session.id })).cdp.ws_url;
  const wrong: string[] = [];
  let under = '';
  const onText = (text: string) => {
    for (const [what, secret] of Object.entries(prey.secrets))
      if (text.includes(secret)) wrong.push(`${under}: ${what} was shown`);
  };
  await waitForWheel(await address());
  const hand = await openHand({ address, url: prey.ownUrl, onText });
  const said: Said = { commands: 0, answered: 0, refused: 0, errors: 0, unanswered: {} };
  const texts = textsOf(prey, victim);
  for (const together of batchesOf(methods, isSmall)) {
    under = together.join(' ');
    await sendAll(hand, together, { params, texts, isSmall, foreign: victim.sessionId, said });
    if (/Page\.|Target\./.test(under)) await hand.page().then(hand.tidy);
  }
  under = 'a trick';
  wrong.push(...(await playTricks({ hand, prey, foreign: victim })));
  wrong.push(...(await leaveBadly(hand, said)));
  for (const method of Object.keys(said.unanswered))
    if (!(method in mayBeSilent)) wrong.push(`${method}: ${said.unanswered[method]} without an answer`);
  wrong.push(...(await victim.check()));
  await worksAgain(await address(), prey).catch((error) => wrong.push(`the session does not go on: ${error}`));
  victim.close();
  await attacker.deleteSession({ id: session.id });
  await other.deleteSession({ id: victim.id });
  const figures = { methods: methods.length, ...said, connections_lost: hand.lost() };
  return { wrong: [...new Set(wrong)], figures };
}

const textsOf = (prey: Prey, victim: { targetId: string; sessionId: string }): HostileTexts => ({
  path: prey.file,
  file: `file://${prey.file}`,
  source: `view-source:file://${prey.file}`,
  loopback: prey.canaryUrl,
  direct: 'direct://',
  bypass: '127.0.0.1,<-loopback>',
  folder: prey.drop,
  target: victim.targetId,
  session: victim.sessionId,
  context: 'F'.repeat(32),
  upwards: `../../../../../..${prey.file}`,
  internal: 'chrome://version/',
  script: `fetch(${JSON.stringify(prey.canaryUrl)}); location = ${JSON.stringify(`file://${prey.file}`)}`,
});

type Sending = { params: HostileParams; texts: HostileTexts; isSmall: boolean; foreign: string; said: Said };

const isDone = (method: string): boolean => ['allow', 'rewrite'].includes(verdictOf(method) ?? '');

/** Commands that are sent at once. Those that are done, and reach far, come alone: the page must be there for each. */
function batchesOf(methods: string[], isSmall: boolean): string[][] {
  const isAlone = (method: string) => isDone(method) && (!isSmall || farReaching.test(method));
  const sent = methods.filter((one) => one !== leaves);
  const domains = Object.groupBy(
    sent.filter((one) => !isAlone(one)),
    (one) => one.split('.')[0] ?? '',
  );
  return [...Object.values(domains).flatMap((one) => (one ? [one] : [])), ...sent.filter(isAlone).map((one) => [one])];
}

async function sendAll(hand: HostileHand, methods: string[], { params, texts, isSmall, foreign, said }: Sending) {
  const { sessionId, own } = await hand.page();
  const sends = methods.flatMap((method) => {
    const variants = params.variantsOf(method, texts, own, { isSmall });
    return [
      ...variants.map((variant) => ({ method, sent: variant.params, to: sessionId as string | undefined })),
      // What is refused by its name is refused in each session; one is enough to see it.
      ...(isDone(method) ? variants : variants.slice(0, 1)).map((one) => ({ method, sent: one.params, to: undefined })),
      { method, sent: {}, to: foreign },
    ];
  });
  const ask = async ({ method, sent, to }: (typeof sends)[number]) => {
    const answer = await hand.ask(method, sent, to, method in mayBeSilent ? silenceMs : answerMs);
    said.commands += 1;
    if (!answer) said.unanswered[method] = (said.unanswered[method] ?? 0) + 1;
    else if (answer.error) said[isRefusal(answer.error.message) ? 'refused' : 'errors'] += 1;
    else said.answered += 1;
  };
  if (isSmall || methods.length > 1) await Promise.all(sends.map(ask));
  else
    for (const send of sends) {
      const page = send.to === sessionId ? await hand.page() : undefined;
      await ask({ ...send, to: page?.sessionId ?? send.to });
    }
}

const isRefusal = (message: string): boolean => /not allowed|not one of the web|only allowed/.test(message);

/** What ends a connection: a message beyond all bounds, and the wish to close the browser. */
async function leaveBadly(hand: HostileHand, said: Said): Promise<string[]> {
  await hand.page();
  const answer = await hand.ask(leaves, {}, undefined, answerMs);
  said.commands += 1;
  if (!answer) said.unanswered[leaves] = 1;
  await until(() => !hand.isOpen(), answerMs);
  await hand.page();
  for (const text of ['', '{', '[]', 'null', '{"id":1}', '{"id":"1","method":"Browser.getVersion"}', '\u0000'])
    hand.sendText(text);
  const lives = await hand.ask('Browser.getVersion', {}, undefined, answerMs);
  hand.sendText(JSON.stringify({ id: 1, method: 'x'.repeat(20 * 1024 * 1024) }));
  const isCut = await until(() => !hand.isOpen(), answerMs).then(
    () => true,
    () => false,
  );
  return [
    ...(lives?.result ? [] : ['what is no command ended the connection']),
    ...(isCut ? [] : ['20 MiB were taken']),
  ];
}

/** The session of another user, with a page, a login and a program of its own. */
async function openVictim(client: Client, prey: Prey) {
  const { session } = await client.createSession();
  const { cdp } = await client.openProgramAccess({ id: session.id });
  const program = await connectRaw(cdp.ws_url);
  const { targetId, sessionId } = await whenFree(() => attachToPage(program));
  await whenFree(() => program.send('Page.navigate', { url: prey.otherUrl }, sessionId));
  const look = async () => ({
    title: await evaluate(program, sessionId, 'document.title'),
    url: await evaluate(program, sessionId, 'location.href'),
    cookies: ((await program.send('Storage.getCookies')).cookies as unknown[]).length,
    targets: ((await program.send('Target.getTargets')).targetInfos as { targetId: string }[]).map(
      (one) => one.targetId,
    ),
  });
  await until(async () => (await look()).title === prey.otherToken, answerMs);
  const before = JSON.stringify(await look());
  return {
    id: session.id,
    targetId,
    sessionId,
    async check(): Promise<string[]> {
      const now = await look().then(JSON.stringify, String);
      return now === before ? [] : [`the session of the other user was changed: ${now}`];
    },
    close: () => program.close(),
  };
}

async function waitForWheel(address: string): Promise<void> {
  const client = await connectRaw(address);
  await whenFree(() => attachToPage(client));
  client.close();
}

async function worksAgain(address: string, prey: Prey): Promise<void> {
  const client: RawClient = await connectRaw(address);
  const { targetId } = await whenFree(() => client.send('Target.createTarget', { url: prey.ownUrl }));
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  await until(async () => (await evaluate(client, String(sessionId), 'document.title')) === 'Own', answerMs);
  client.close();
}
