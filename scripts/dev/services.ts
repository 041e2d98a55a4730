import { join } from 'node:path';
import { isAlive, stopDaemon } from './daemon.ts';
import { type Nats, natsUrl, type Passwords, startNats, stopNats } from './nats.ts';
import { type Place, placeOf, readJson, removePlace, writeJson } from './place.ts';
import { type Postgres, postgresUrl, startPostgres, stopPostgres } from './postgres.ts';

export type ServiceName = 'postgres' | 'nats';
export const serviceNames = ['postgres', 'nats'] as const satisfies ServiceName[];

type Written = { postgres?: Postgres; nats?: Nats };

/** The private PostgreSQL and NATS of one named stack, with the means to shoot either and bring it back. */
export function createServices(name: string) {
  const place: Place = placeOf(name);
  const file = join(place.dir, 'services.json');
  const read = () => readJson<Written>(file) ?? {};

  async function start(service: ServiceName): Promise<void> {
    const written = read();
    if (service === 'postgres') written.postgres = await startPostgres(place, written.postgres);
    else written.nats = await startNats(place, written.nats);
    writeJson(file, written);
  }

  return {
    place,

    start,

    async up(): Promise<void> {
      for (const service of serviceNames) await start(service);
    },

    /** Ends it as a crash would: no farewell to its clients, nothing flushed. */
    async kill(service: ServiceName): Promise<void> {
      const daemon = read()[service]?.daemon;
      if (daemon) await stopDaemon(daemon, 'SIGKILL', 5000);
    },

    async down({ wipe }: { wipe: boolean }): Promise<void> {
      const { postgres, nats } = read();
      if (nats) await stopNats(nats);
      if (postgres) await stopPostgres(postgres);
      if (wipe) removePlace(place);
    },

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
