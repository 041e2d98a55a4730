// The routes of recordings.

import { routes } from '@pilothouse/contract';
import { BytesAnswer } from '../http/answer.ts';
import type { Serve } from '../http/serve.ts';
import type { RecordingService } from './recordings.service.ts';

export function recordingRoutes(serve: Serve, recording: RecordingService) {
  serve(routes.getRecording, ({ caller, params, query }) => recording.list(caller, params.id, query));

  serve(routes.getRecordingBands, ({ caller, params, query }) => recording.bands(caller, params.id, query));

  serve(routes.getRecordedFrame, async ({ caller, params }) => {
    const { bytes, contentType } = await recording.frame(caller, params.id, params.frame_id);
    return new BytesAnswer(bytes, contentType, { etag: `"${params.frame_id}"` });
  });
}
