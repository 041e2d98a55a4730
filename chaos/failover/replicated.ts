// A primary and its standby, of the PostgreSQL of a stack: the primary is killed, the standby promoted, and what was the primary
// becomes the standby of the next round.

import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Daemon, startDaemon, stopDaemon } from '@pilothouse/stack/services/daemon';
import { ownedDir } from '@pilothouse/stack/services/place';
import pg from 'pg';
import { until } from '../../testkit/stack/daemon.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import { postgresProgram, type Services } from '../../testkit/stack/services.ts';
import { startTcpSwitch } from '../../testkit/tcp-switch.ts';

export type Replication = 'synchronous' | 'asynchronous';
type Server = { data: string; port: number; daemon?: Daemon };

const attachedMs = 30_000;
const runFile = promisify(execFile);

/** On a PostgreSQL that runs already. Close it before the stack is taken down. */
export async function replicate(services: Services, replication: Replication) {
  const { place } = services;
  const log = join(place.dir, 'postgres.log');
  const options = { log, cwd: place.dataDir, env: { PATH: process.env.PATH }, ...place.user };
  const started = services.status().postgres;
  if (!started?.port || !started.pid) throw new Error('PostgreSQL does not run');
  let primary: Server & { pid: number } = {
    ...started,
    data: join(place.dataDir, 'postgres'),
    port: started.port,
    pid: started.pid,
  };
  let standby: Server = { data: join(place.dataDir, 'standby'), port: await freePort() };
  const clients = await startTcpSwitch(primary.port);
  const wal = await startTcpSwitch(primary.port);

  const urlOf = (port: number) => {
    const url = new URL(services.adminDatabaseUrl());
    url.port = String(port);
    return url;
  };
  const ask = <Row extends pg.QueryResultRow>(port: number, ...texts: string[]) =>
    askOnce<Row>(urlOf(port).href, texts);
  const setStandbys = (port: number, names: string) =>
    ask(port, `alter system set synchronous_standby_names = '${names}'`, 'select pg_reload_conf()');
  const isAttached = async () => {
    const rows = await ask<{ sync_state: string; state: string }>(
      primary.port,
      'select state, sync_state from pg_stat_replication',
    );
    const wanted = replication === 'synchronous' ? 'sync' : 'async';
    return rows.some(({ state, sync_state }) => state === 'streaming' && sync_state === wanted);
  };

  /** Copies the primary into the folder of the standby and starts it there; resolves when commits wait for it. */
  async function attach(): Promise<void> {
    const { username, password, port } = urlOf(primary.port);
    rmSync(standby.data, { recursive: true, force: true });
    ownedDir(standby.data, place.user);
    const at = ['--host=127.0.0.1', `--port=${port}`, `--username=${username}`];
    const how = ['--checkpoint=fast', '--wal-method=stream', '--no-sync', '--no-password'];
    await runFile(postgresProgram('pg_basebackup'), [...at, ...how, `--pgdata=${standby.data}`], {
      ...place.user,
      cwd: place.dataDir,
      env: { ...options.env, PGPASSWORD: password },
    });
    const from = `host=127.0.0.1 port=${wal.port} user=${username} password=${password}`;
    // It waits for no standby of its own when it is promoted: there is none yet.
    const settings = `primary_conninfo = '${from}'\nsynchronous_standby_names = ''\n`;
    appendFileSync(join(standby.data, 'postgresql.auto.conf'), settings);
    appendFileSync(join(standby.data, 'standby.signal'), '');
    standby.daemon = startDaemon(
      postgresProgram('postgres'),
      ['-D', standby.data, '-p', String(standby.port)],
      options,
    );
    if (replication === 'synchronous') await setStandbys(primary.port, '*');
    if (!(await until(() => isAttached().catch(() => false), attachedMs, 50)))
      throw new Error(`the standby was not attached; see ${log}`);
  }

  await setStandbys(primary.port, '');
  await ask(primary.port, `alter system set wal_keep_size = '256MB'`, 'select pg_reload_conf()');
  await attach();

  return {
    /** By which clients reach the primary, whichever it is. */
    url: (databaseUrl: string): string => {
      const url = new URL(databaseUrl);
      url.port = String(clients.port);
      return url.href;
    },
    /** The standby gets nothing more from the primary. */
    cutReplication: () => wal.moveTo(undefined),
    /** The machine of the primary is gone. */
    killPrimary(): void {
      for (const pid of [primary.pid, ...childrenOf(primary.pid)]) killNow(pid);
      clients.moveTo(undefined);
    },
    /** Resolves when the standby takes writes, by the address of clients. */
    async promote(): Promise<void> {
      const [promoted] = await ask<{ done: boolean }>(standby.port, 'select pg_promote(true, 60) as done');
      if (!promoted?.done || !standby.daemon) throw new Error(`the standby was not promoted; see ${log}`);
      const former = { data: primary.data, port: primary.port };
      primary = { ...standby, pid: standby.daemon.pid };
      standby = former;
      clients.moveTo(primary.port);
      wal.moveTo(primary.port);
    },
    /** What was the primary comes back, as a new standby. */
    attach,
    async close(): Promise<void> {
      clients.close();
      wal.close();
      for (const { daemon } of [standby, primary]) if (daemon) await stopDaemon(daemon, 'SIGQUIT', 10_000);
      if (existsSync(standby.data)) rmSync(standby.data, { recursive: true, force: true });
    },
  };
}
export type Replicated = Awaited<ReturnType<typeof replicate>>;

/** One after the other, outside a transaction; returns the rows of the last. */
async function askOnce<Row extends pg.QueryResultRow>(connectionString: string, texts: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3000 });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const text of texts) rows = (await client.query<Row>(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === parent;
    } catch {
      return false;
    }
  });
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its parent.
  }
}
