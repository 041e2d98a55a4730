// The rules that a user adds for their tasks.

import type { Policy } from '@pilothouse/contract';
import type { Database } from '../db/db.ts';

export function createUserPolicies({ pool }: Database) {
  return {
    async of(userId: string): Promise<Policy> {
      const { rows } = await pool.query<{ policy: Policy | null }>({
        name: 'policies.of',
        text: 'select policy from users where id = $1',
        values: [userId],
      });
      return rows[0]?.policy ?? {};
    },

    async set(userId: string, policy: Policy): Promise<void> {
      await pool.query({
        name: 'policies.set',
        text: 'update users set policy = $2 where id = $1',
        values: [userId, JSON.stringify(policy)],
      });
    },
  };
}
