import { join } from 'node:path';
import { isAlive, stopDaemon } from './daemon.ts';
import { withLock } from './lock.ts';
import { type Nats, natsUrl, type Passwords, startNats, stopNats } from './nats.ts';
import { type Place, placeOf, readJson, removePlace, writeJson } from './place.ts';
import { type Postgres, postgresUrl, startPostgres, stopForgotten, stopPostgres } from './postgres.ts';

export type ServiceName = 'postgres' | 'nats';
export const serviceNames = ['postgres', 'nats'] as const satisfies ServiceName[];

type Written = { postgres?: Postgres; nats?: Nats };

/** The private PostgreSQL and NATS of one named stack, with the means to shoot either and bring it back. */
export function createServices(name: string) {
  const place: Place = placeOf(name);
  const file = join(place.dir, 'services.json');
  const read = () => readJson<Written>(file) ?? {};
  /** One command at a time: what two of them write down at once, one of them would lose. */
  const alone = <T>(work: () => Promise<T>) => withLock(file, work);

  async function startNow(service: ServiceName): Promise<void> {
    const before = read();
    const started =
      service === 'postgres'
        ? { postgres: await startPostgres(place, before.postgres) }
        : { nats: await startNats(place, before.nats) };
    writeJson(file, { ...read(), ...started });
  }
  const start = (service: ServiceName) => alone(() => startNow(service));

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

    databaseUrl(): string {
      const { postgres } = read();
      if (!postgres) throw new Error(`the PostgreSQL of "${name}" was never started`);
      return postgresUrl(postgres);
    },

    bus(): { url: string; passwords: Passwords } {
      const { nats } = read();
      if (!nats) throw new Error(`the NATS of "${name}" was never started`);
      return { url: natsUrl(nats), passwords: nats.passwords };
    },

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
