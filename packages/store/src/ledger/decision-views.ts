// What a model was shown of pages when it decided: long, and seldom needed. Reads only.

import type { Selectable } from 'kysely';
import type { Database } from '../db/db.ts';
import type { Decisions } from '../db/generated.ts';

export type DecisionView = Pick<
  Selectable<Decisions>,
  'number' | 'decided_at' | 'url' | 'view' | 'picture_key' | 'picture_type'
>;

export function createDecisionViews({ pool }: Pick<Database, 'pool'>) {
  return {
    /** What the model was shown for one decision. */
    async viewOf(taskId: string, number: number): Promise<DecisionView | undefined> {
      const { rows } = await pool.query<DecisionView>({
        name: 'decisions.viewOf',
        text: `select number, decided_at, url, view, picture_key, picture_type
               from decisions where task_id = $1 and number = $2`,
        values: [taskId, number],
      });
      return rows[0];
    },

    /** All pages that it read, with their addresses, oldest first. */
    async shownIn(taskId: string): Promise<{ url: string; view: string }[]> {
      const { rows } = await pool.query<{ url: string; view: string }>({
        name: 'decisions.shownIn',
        text: `select coalesce(url, '') as url, view from decisions
               where task_id = $1 and view is not null order by number`,
        values: [taskId],
      });
      return rows;
    },

    /** The texts of all pages that it read, oldest first. */
    async viewsOf(taskId: string): Promise<string[]> {
      const { rows } = await pool.query<{ view: string }>({
        name: 'decisions.viewsOf',
        text: 'select view from decisions where task_id = $1 and view is not null order by number',
        values: [taskId],
      });
      return rows.map(({ view }) => view);
    },
  };
}
