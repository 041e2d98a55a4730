// Sessions, frames and events as the API shows them, field by field.

import {
  type BrowserRoute,
  ImageType,
  type ListedSession,
  type Navigation,
  type Overlay,
  type Session,
} from '@pilothouse/contract';
import type { FrameRow, ListedSessionRow, SessionRow, StoredEvent } from '@pilothouse/store';
import type { FrameView } from '../live/withheld.ts';

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

export function viewListed(row: ListedSessionRow): ListedSession {
  const { last_task, waiting, picture } = row;
  return {
    ...viewSession(row, row.viewers),
    last_task: last_task && {
      ...last_task,
      started_at: timeOf(last_task.started_at),
      finished_at: timeOf(last_task.finished_at),
    },
    needs_person: waiting && {
      task_id: waiting.task_id,
      why: waiting.status === 'takeover' ? 'takeover' : 'question',
      text: waiting.text,
      since: new Date(waiting.since).toISOString(),
    },
    thumbnail: picture && {
      frame_id: picture.frame_id,
      path: `/api/sessions/${row.id}/thumbnail`,
      recorded_at: new Date(picture.recorded_at).toISOString(),
      private: picture.private,
    },
  };
}

const timeOf = (time: string | null) => time && new Date(time).toISOString();

export const livePathOf = (id: string): string => `/api/sessions/${id}/live`;

export function viewFrame(row: FrameRow): FrameView {
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
    // Written by an agent, in the shape of the contract.
    route: row.route as BrowserRoute,
    private: row.private,
  };
}

export function viewOverlay({ data, seq, recorded_at }: StoredEvent): Overlay {
  return { ...(data.overlay as Omit<Overlay, 'seq' | 'recorded_at'>), seq, recorded_at: recorded_at.toISOString() };
}

export function viewNavigation({ data, recorded_at }: StoredEvent): Navigation {
  const { page, url, title } = data.route as BrowserRoute;
  return { recorded_at: recorded_at.toISOString(), page, url: url ?? '', title };
}
