import type { Session } from '@pilothouse/contract';
import type { SessionRow } from '@pilothouse/store';

/** A row as the interface shows it, field by field: a new column is never shown by accident. */
export function viewSession(row: SessionRow): Session {
  return {
    id: row.id,
    status: row.status,
    browser: row.browser,
    last_task_id: row.last_task_id,
    live_path: `/api/sessions/${row.id}/live`,
    profile_id: row.profile_id,
    profile_label: row.profile_label,
    title: row.title,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_event_at: row.last_event_at?.toISOString() ?? null,
    shared: false,
    viewers: 0,
  };
}
