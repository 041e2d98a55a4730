import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

export const connections = 16;
const answerWithinMs = 10_000;

export type Answer = { body: string; headers: NodeJS.Dict<string | string[]> };
/** Asks one server the same again and again, over connections that are kept. */
export type Asker = ReturnType<typeof createAsker>;

export function createAsker(baseUrl: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { authorization: `Bearer ${token}` };

  const ask = (path: string) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(baseUrl + path, { agent, headers, timeout: answerWithinMs }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve({ body, headers: response.headers });
          else reject(new Error(`${path} of ${baseUrl} answered ${response.statusCode}: ${body}`));
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${path} from ${baseUrl}`)));
      sent.on('error', reject);
      sent.end();
    });

  return {
    ask,
    /** Every connection has one request under way at any time, until all were answered. */
    async askMany(path: string, count: number): Promise<void> {
      let left = count;
      const askOn = async () => {
        while (left-- > 0) await ask(path);
      };
      await Promise.all(Array.from({ length: connections }, askOn));
    },
    close: () => agent.destroy(),
  };
}

/**
 * What the process has used of the processors so far, in user and in system mode, all its threads together: the same
 * as in `/proc/<pid>/stat`, which counts in hundredths of a second and so is too coarse for short rounds.
 */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0],
  );
  return nanoseconds.reduce((sum, used) => sum + Number(used) / 1e6, 0);
}
