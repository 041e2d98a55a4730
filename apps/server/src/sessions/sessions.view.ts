import {
  type BrowserRoute,
  type Frame,
  ImageType,
  type Navigation,
  type Overlay,
  type Session,
} from '@pilothouse/contract';
import type { FrameRow, SessionRow, StoredEvent } from '@pilothouse/store';

/** A row as the interface shows it, field by field: a new column is never shown by accident. */
export function viewSession(row: SessionRow, viewers = 0): Session {
  return {
    id: row.id,
    status: row.status,
    browser: row.browser,
    last_task_id: row.last_task_id,
    live_path: livePathOf(row.id),
    profile_id: row.profile_id,
    profile_label: row.profile_label,
    title: row.title,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_event_at: row.last_event_at?.toISOString() ?? null,
    shared: row.shared,
    viewers,
    recording: row.recording,
  };
}

export const livePathOf = (id: string): string => `/api/sessions/${id}/live`;

export function viewFrame(row: FrameRow, image: Uint8Array): Frame {
  return {
    frame_id: row.frame_id,
    session_id: row.session_id,
    task_id: row.task_id,
    seq: row.seq,
    recorded_at: row.recorded_at.toISOString(),
    content_type: ImageType.parse(row.content_type),
    width: row.width,
    height: row.height,
    device_scale: row.device_scale,
    screenshot_base64: Buffer.from(image).toString('base64'),
    // Written by an agent from what the contract calls a route.
    route: row.route as BrowserRoute,
    private: row.private,
  };
}

/** What was drawn at this place of the log. */
export function viewOverlay({ data, seq, recorded_at }: StoredEvent): Overlay {
  return { ...(data.overlay as Omit<Overlay, 'seq' | 'recorded_at'>), seq, recorded_at: recorded_at.toISOString() };
}

export function viewNavigation({ data, recorded_at }: StoredEvent): Navigation {
  const { page, url, title } = data.route as BrowserRoute;
  return { recorded_at: recorded_at.toISOString(), page, url: url ?? '', title };
}
