// Recordings as the API shows them, field by field.

import {
  type BrowserRoute,
  ImageType,
  type RecordedEvent,
  type RecordedFrame,
  type RecordingBand,
  type RecordingItem,
} from '@pilothouse/contract';
import { type BandRow, type RecordedFrameRow, type RecordingRow, stepIdOf } from '@pilothouse/store';
import { viewLiveEvent } from '../live/events.view.ts';
import { viewOverlay } from '../sessions/sessions.view.ts';

/** Undefined for events that the view of a session does not show. */
export function viewRecordingItem(row: RecordingRow): RecordingItem | undefined {
  if ('frame' in row) {
    const frame = viewRecordedFrame(row.frame);
    return { type: 'frame', recorded_at: frame.recorded_at, frame };
  }
  const { event } = row;
  const recorded_at = event.recorded_at.toISOString();
  if (event.kind === 'overlay') return { type: 'overlay', recorded_at, overlay: viewOverlay(event) };
  // Written by us, in the shape of the contract.
  const shown = viewLiveEvent(event) as RecordedEvent | undefined;
  return shown && { type: 'event', recorded_at, event: shown };
}

export const viewBand = ({ kind, from, to, taskId, stepIndex, holderId }: BandRow): RecordingBand => ({
  kind,
  from: from.toISOString(),
  to: to?.toISOString() ?? null,
  task_id: taskId,
  step_id: stepIndex === null ? null : stepIdOf(stepIndex),
  private: kind === 'person',
  held_by: holderId,
});

function viewRecordedFrame(row: RecordedFrameRow): RecordedFrame {
  return {
    frame_id: row.frame_id,
    task_id: row.task_id,
    step_id: row.step_id,
    recorded_at: row.recorded_at.toISOString(),
    content_type: ImageType.parse(row.content_type),
    width: row.width,
    height: row.height,
    // Written by an agent, in the shape of the contract.
    route: row.route as BrowserRoute,
    private: row.private,
    path: isShown(row) ? `/api/sessions/${row.session_id}/recording/frames/${row.frame_id}` : null,
  };
}

/** Private frames are withheld from every caller. */
export const isShown = ({ private: isPrivate, blob_key }: RecordedFrameRow): boolean => !isPrivate && blob_key !== null;
