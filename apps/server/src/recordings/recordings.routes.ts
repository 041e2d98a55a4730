import { routes } from '@pilothouse/contract';
import { Answer, type Serve } from '../http/serve.ts';
import type { RecordingService } from './recording.service.ts';

export function recordingRoutes(serve: Serve, recording: RecordingService) {
  serve(routes.getRecording, ({ caller, params, query }) => recording.list(caller, params.id, query));

  serve(routes.getRecordedFrame, async ({ caller, params }) => {
    const { bytes, contentType } = await recording.frame(caller, params.id, params.frame_id);
    return new Answer(200, bytes, contentType, { etag: `"${params.frame_id}"` });
  });
}
