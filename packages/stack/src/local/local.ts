// Everything on this machine for one person: services, server, agent, browser host, and for a demo a shop to visit. What it
// keeps lies in one folder.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { demoExamples } from '../demo/examples.ts';
import { type Shop, startShop } from '../demo/shop.ts';
import { findChromium } from '../programs/chromium.ts';
import { partsIn } from '../programs/parts.ts';
import { findNats, findPostgres, linkLibraries } from '../programs/services.ts';
import { type Lock, tryLock } from '../services/lock.ts';
import { type Place, readJson, writeJson } from '../services/place.ts';
import { freePort, isListening } from '../services/ports.ts';
import type { PostgresProgram } from '../services/postgres.ts';
import { createServices } from '../services/services.ts';
import { createStack, PartFailure, type Stack } from '../stack/stack.ts';
import { firstInvitation, lastWords, setOldLogsAside } from './logs.ts';

export type LocalOptions = {
  /** The folder for everything that is kept. */
  dir: string;
  /** A demo has a shop and no logins, and leaves nothing behind. */
  isDemo: boolean;
  /** Without it the usual one, or another where that is taken. */
  port?: number;
};

export type Local = {
  url: string;
  /** The page to open: where nobody has registered yet, the one that makes the administrator. */
  openUrl: string;
  shopUrl: string | undefined;
  /** Names of parts that ended by themselves; each is started again. */
  restartEnded(): Promise<string[]>;
  close(): Promise<void>;
};

/** A fault that its message explains. */
export class LocalFailure extends Error {}

const usualPort = 4000;
const usualShopPort = 4980;

export async function startLocal({ dir, isDemo, port }: LocalOptions): Promise<Local> {
  const place = claimFolder(resolve(dir), isDemo);
  const lock = await tryLock(place.dir);
  if (!lock) throw new LocalFailure(`it runs already, with its data in ${place.dir}`);
  setOldLogsAside(place.dir);
  const stack = createStackIn(place, isDemo);
  await endLast(stack, place, isDemo);
  const opened: { lock: Lock; stack: Stack; shop?: Shop } = { lock, stack };
  const close = async () => {
    await opened.shop?.close();
    await stack.down({ wipe: isDemo });
    lock.release();
  };
  try {
    const chosen = await choosePort(port, usualPort);
    if (isDemo) opened.shop = await startShop({ port: await choosePort(undefined, usualShopPort) });
    await stack.up(optionsOf({ port: chosen, shop: opened.shop }));
    const url = `http://127.0.0.1:${chosen}`;
    return {
      url,
      openUrl: `${url}${invitationOf(stack) ?? '/'}`,
      shopUrl: opened.shop?.url,
      restartEnded: () => restartEnded(stack, isDemo),
      close,
    };
  } catch (error) {
    // Before the folder of a demo is removed, with the logs.
    const failure = explained(error, isDemo);
    await close();
    throw failure;
  }
}

/** With what the part that failed wrote last. The log of a demo is gone by the time that this is read. */
function explained(error: unknown, isDemo: boolean): unknown {
  if (!(error instanceof Error)) return error;
  if (!(error instanceof PartFailure)) return new LocalFailure(error.message, { cause: error });
  const lines = [isDemo ? error.what : error.message, ...lastWords(error.log)];
  return new LocalFailure(lines.join('\n'), { cause: error });
}

function invitationOf(stack: Stack): string | undefined {
  const log = stack.status().processes['server-1']?.log;
  return log && firstInvitation(log);
}

function optionsOf({ port, shop }: { port: number; shop: Shop | undefined }) {
  const chromium = findChromium();
  return {
    port,
    servers: 1,
    agents: 1,
    browsers: 1,
    disableAuth: shop !== undefined,
    ...(shop && { sites: [shop.url] }),
    settings: {
      // Users of this machine reach its loopback: the first to open the page must not become the administrator by that.
      server: {
        REGISTRATION: process.env.REGISTRATION || 'invite',
        ...(shop && { EXAMPLES: JSON.stringify(demoExamples(shop.url)) }),
      },
      browser: {
        ...(chromium && { CHROMIUM_PATH: chromium }),
        // A host in production lets no page reach this machine, and the shop is on it.
        ...(shop && { NODE_ENV: 'development' }),
      },
    },
  };
}

function createStackIn(place: Place, isDemo: boolean): Stack {
  const postgres = (): PostgresProgram => {
    const files = findPostgres();
    if (!files) throw new LocalFailure('there is no PostgreSQL');
    const { libraries, ...programs } = files;
    return {
      ...programs,
      ...(libraries && { libraries: linkLibraries(libraries, join(place.dir, 'libraries')) }),
      isSynced: !isDemo,
    };
  };
  const nats = () => {
    const program = findNats();
    if (!program) throw new LocalFailure('there is no nats-server');
    return program;
  };
  return createStack(createServices(place, { postgres, nats }), partsIn(place.dir));
}

/**
 * The folder of this kind of installation, made if need be. A folder with anything else in it is refused: that of a demo is
 * removed in the end.
 */
export function claimFolder(dir: string, isDemo: boolean): Place {
  const kind = isDemo ? 'demo' : 'up';
  const note = join(dir, 'pilothouse.json');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const isEmpty = readdirSync(dir).length === 0;
  const written = existsSync(note) ? readJson<{ kind?: string }>(note)?.kind : undefined;
  if (!isEmpty && written !== kind)
    throw new LocalFailure(`${dir} has other files in it${written ? `, of \`pilothouse ${written}\`` : ''}`);
  if (isEmpty) writeJson(note, { kind });
  return { name: kind, dir, dataDir: join(dir, 'data'), user: undefined };
}

/** A command that was killed has left its processes, and of a demo its data. */
async function endLast(stack: Stack, { dir }: Place, isDemo: boolean): Promise<void> {
  if (!existsSync(join(dir, 'services.json'))) return;
  await stack.down({ wipe: isDemo });
  claimFolder(dir, isDemo);
}

async function choosePort(wanted: number | undefined, usual: number): Promise<number> {
  const isTaken = await isListening(wanted ?? usual);
  if (!isTaken) return wanted ?? usual;
  if (wanted !== undefined) throw new LocalFailure(`port ${wanted} is taken`);
  return freePort();
}

async function restartEnded(stack: Stack, isDemo: boolean): Promise<string[]> {
  const { processes, services } = stack.status();
  const parts = Object.entries({ ...services, ...processes });
  const ended = parts.filter(([, { running }]) => !running).map(([name]) => name);
  try {
    for (const part of ended) await stack.start(part);
  } catch (error) {
    throw explained(error, isDemo);
  }
  return ended;
}
