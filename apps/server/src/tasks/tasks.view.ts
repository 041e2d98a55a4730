import { type Evidence, ImageType } from '@pilothouse/contract';
import type { ObservationRow } from '@pilothouse/store';

/** What was seen at a step, pointed to; nothing, where it is no picture. */
export function viewEvidence(row: ObservationRow): Evidence | undefined {
  const type = ImageType.safeParse(row.content_type);
  if (!type.success) return undefined;
  return {
    observation_id: row.id,
    step_id: row.step_id,
    recorded_at: row.recorded_at.toISOString(),
    label: row.summary ?? '',
    content_type: type.data,
    width: row.width,
    height: row.height,
    screenshot_path: `/api/tasks/${row.task_id}/observations/${row.id}/image`,
    url: row.url,
  };
}
