// The routes that read tasks.

import { routes } from '@pilothouse/contract';
import { Answer, BytesAnswer } from '../http/answer.ts';
import type { Serve } from '../http/serve.ts';
import type { TaskDecisions } from './decisions.service.ts';
import type { TaskPictures } from './pictures.service.ts';
import type { TaskReads } from './reads.service.ts';

type Parts = { reads: TaskReads; decisions: TaskDecisions; pictures: TaskPictures };

export function taskReadRoutes(serve: Serve, { reads, decisions, pictures }: Parts) {
  serve(routes.listTasks, ({ caller, query }) => reads.list(caller, query));
  serve(routes.getTask, ({ caller, params }) => reads.detail(caller, params.id));
  serve(routes.listLogs, ({ caller, params, query }) => reads.logs(caller, params.id, query));
  serve(routes.listExecutions, ({ caller, params }) => reads.executions(caller, params.id));
  serve(routes.listDecisions, ({ caller, params, query }) => decisions.list(caller, params.id, query));
  serve(routes.getDecisionView, ({ caller, params }) => decisions.view(caller, params.id, params.number));
  serve(routes.getDecisionPicture, async ({ caller, params }) => {
    const { bytes, contentType } = await decisions.picture(caller, params.id, params.number);
    return new BytesAnswer(bytes, contentType);
  });
  serve(routes.getMessageState, ({ caller, params }) => reads.messages(caller, params.id));

  serve(routes.listObservations, async ({ caller, params, query }) => {
    const { reply, pictures: embedded } = await pictures.observations(caller, params.id, query);
    return new Answer(200, reply, embedded);
  });
  serve(routes.getObservationImage, async ({ caller, params }) => {
    const { bytes, contentType } = await pictures.image(caller, params.id, params.observation_id);
    return new BytesAnswer(bytes, contentType);
  });
  serve(routes.getScreenshot, async ({ caller, params, query }) => {
    const { id, bytes, contentType, asJson, pictures: embedded } = await pictures.screenshot(caller, params.id);
    if (query.format === 'json') return new Answer(200, asJson(), embedded);
    return new BytesAnswer(bytes, contentType, { etag: `"${id}"` });
  });
  serve(routes.getTaskFile, async ({ caller, params }) => {
    const { name, bytes } = await pictures.file(caller, params.id, params.file_id);
    // Never with its own content type: a page that a task downloaded must not run as one of ours.
    return new BytesAnswer(bytes, 'application/octet-stream', { 'content-disposition': attachment(name) });
  });
}

/** The name as RFC 6266 writes it, and a plain one for readers that do not know that. */
function attachment(name: string): string {
  const plain = name.replace(/[^\w.\- ]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
