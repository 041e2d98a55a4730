import { routes } from '@pilothouse/contract';
import { Answer, type Serve } from '../http/serve.ts';
import type { TaskReadsService } from './reads.service.ts';

export function taskReadRoutes(serve: Serve, reads: TaskReadsService) {
  serve(routes.listTasks, ({ caller, query }) => reads.list(caller, query));
  serve(routes.listInbox, ({ caller, query }) => reads.inbox(caller, query));
  serve(routes.getTask, ({ caller, params }) => reads.detail(caller, params.id));
  serve(routes.listLogs, ({ caller, params, query }) => reads.logs(caller, params.id, query));
  serve(routes.listObservations, ({ caller, params, query }) => reads.observations(caller, params.id, query));
  serve(routes.listExecutions, ({ caller, params }) => reads.executions(caller, params.id));
  serve(routes.getMessageState, ({ caller, params }) => reads.messages(caller, params.id));

  serve(routes.getScreenshot, async ({ caller, params, query }) => {
    const { id, bytes, screenshot } = await reads.screenshot(caller, params.id);
    if (query.format === 'json') return new Answer(200, { success: true, screenshot });
    return new Answer(200, bytes, screenshot.content_type, { etag: `"${id}"` });
  });

  serve(routes.getTaskFile, async ({ caller, params }) => {
    const { name, bytes } = await reads.file(caller, params.id, params.file_id);
    // Never as what it claims to be: a page that a task brought home must not run as one of ours.
    return new Answer(200, bytes, 'application/octet-stream', { 'content-disposition': attachment(name) });
  });
}

/** The name for readers of RFC 6266, and a plain one for all others. */
function attachment(name: string): string {
  const plain = name.replace(/[^\w.\- ]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
