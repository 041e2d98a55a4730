// PostgreSQL and NATS of one stack: started, shot and stopped, each written down with its process.

import { join } from 'node:path';
import { type BusPasswords, type Member, membersOf, passwordsOf, userOf } from '@pilothouse/bus';
import { isAlive, stopDaemon } from './daemon.ts';
import { withLock } from './lock.ts';
import { type Nats, natsUrl, setMembers, startNats, stopNats } from './nats.ts';
import { type Place, readJson, removePlace, writeJson } from './place.ts';
import {
  type Postgres,
  type PostgresProgram,
  postgresAdminUrl,
  postgresUrl,
  startPostgres,
  stopForgotten,
  stopPostgres,
} from './postgres.ts';

export type ServiceName = 'postgres' | 'nats';
export const serviceNames = ['postgres', 'nats'] as const satisfies ServiceName[];

/** Found when something is started: what stops a stack needs none of them. */
export type ServicePrograms = { postgres(): PostgresProgram; nats(): string };

type ServicesFile = { postgres?: Postgres; nats?: Nats };

/** The private PostgreSQL and NATS of one stack, with the means to shoot either and bring it back. */
export function createServices(place: Place, programs: ServicePrograms) {
  const { name } = place;
  const file = join(place.dir, 'services.json');
  const read = () => readJson<ServicesFile>(file) ?? {};
  /** One command at a time: what two of them write down at once, one of them would lose. */
  const alone = <T>(work: () => Promise<T>) => withLock(file, work);

  async function startNow(service: ServiceName): Promise<void> {
    const before = read();
    const started =
      service === 'postgres'
        ? { postgres: await startPostgres(place, before.postgres, programs.postgres()) }
        : { nats: await startNats(place, before.nats, programs.nats()) };
    writeJson(file, { ...read(), ...started });
  }
  const start = (service: ServiceName) => alone(() => startNow(service));
  function started(): Postgres {
    const { postgres } = read();
    if (!postgres) throw new Error(`the PostgreSQL of "${name}" was never started`);
    return postgres;
  }

  return {
    place,

    start,

    async up(): Promise<void> {
      for (const service of serviceNames) await start(service);
    },

    /** Ends it as a crash would: no farewell to its clients, nothing flushed. */
    kill: (service: ServiceName): Promise<void> =>
      alone(async () => {
        const daemon = read()[service]?.daemon;
        if (daemon) await stopDaemon(daemon, 'SIGKILL', 5000);
      }),

    down: ({ wipe }: { wipe: boolean }): Promise<void> =>
      alone(async () => {
        const { postgres, nats } = read();
        if (nats) await stopNats(nats);
        if (postgres) await stopPostgres(postgres);
        if (!wipe) return;
        await stopForgotten(place);
        removePlace(place);
      }),

    /** As the processes of a stack sign in. */
    databaseUrl: (): string => postgresUrl(started()),

    /** As who may make databases. */
    adminDatabaseUrl: (): string => postgresAdminUrl(started()),

    ...createBusAccess({ place, file, read, alone }),

    status() {
      const written = read();
      return Object.fromEntries(
        serviceNames.map((service) => {
          const { port, daemon } = written[service] ?? {};
          return [service, { running: daemon ? isAlive(daemon) : false, pid: daemon?.pid ?? null, port: port ?? null }];
        }),
      );
    },
  };
}
export type Services = ReturnType<typeof createServices>;

type Notes = { place: Place; file: string; read(): ServicesFile; alone<T>(work: () => Promise<T>): Promise<T> };

/** Who may sign in to the bus. It is not restarted for a change. */
function createBusAccess({ place, file, read, alone }: Notes) {
  function started(): Nats {
    const { nats } = read();
    if (!nats) throw new Error(`the NATS of "${place.name}" was never started`);
    return nats;
  }
  const changeMembers = (choose: (before: Member[]) => Member[]): Promise<BusPasswords> =>
    alone(async () => {
      const before = started();
      const nats = await setMembers(place, before, choose(membersOf(before.passwords)));
      writeJson(file, { ...read(), nats });
      return nats.passwords;
    });

  return {
    bus(): { url: string; passwords: BusPasswords } {
      const nats = started();
      return { url: natsUrl(nats), passwords: nats.passwords };
    },

    /** The bus knows these members and nobody else. */
    setMembers: (members: Member[]) => changeMembers(() => members),

    /** One more member of the bus, with a password of its own. */
    async admit(member: Member): Promise<{ user: string; password: string }> {
      const passwords = await changeMembers((before) => [...before, member]);
      const password = passwordsOf(passwords, member.role)[member.id];
      if (!password) throw new Error(`${userOf(member)} was not admitted`);
      return { user: userOf(member), password };
    },

    /** One member less: its connections are cut, and its password is forgotten. */
    async remove(member: Member): Promise<void> {
      await changeMembers((before) => before.filter((one) => userOf(one) !== userOf(member)));
    },
  };
}
