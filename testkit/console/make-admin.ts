// Makes a user of a stack an administrator, before they log in: the console shows what the login says of them.

import pg from 'pg';

export async function makeAdmin(databaseUrl: string, username: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(`update users set role = 'admin' where username = $1`, [username]);
  } finally {
    await client.end();
  }
}
