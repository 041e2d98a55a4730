// Runs one program to its end, within a deadline. What it printed is returned, or is in the error.
import { spawn } from 'node:child_process';

export type CommandOptions = {
  timeoutMs: number;
  cwd?: string;
  env?: Record<string, string | undefined>;
  input?: string;
  /** Asks the program to end; it may tidy up. */
  signal?: AbortSignal;
  /** Whether its output is also shown while it runs. */
  isShown?: boolean;
};

export type CommandResult = { code: number | null; stdout: string; stderr: string };

/** Never rejects because of how the program ended; only when it cannot be started. */
export async function tryCommand(
  [command = '', ...args]: string[],
  { timeoutMs, cwd, env = process.env, input = '', isShown = false, signal }: CommandOptions,
): Promise<CommandResult> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const child = spawn(command, args, { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL' });
  const stop = () => child.kill('SIGTERM');
  signal?.addEventListener('abort', stop);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    if (isShown) process.stdout.write(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
    if (isShown) process.stderr.write(text);
  });
  child.once('error', reject).once('close', resolve);
  // A program that ends without reading its input is judged by its exit.
  child.stdin.on('error', () => {}).end(input);
  const code = await promise.finally(() => signal?.removeEventListener('abort', stop));
  return { code, stdout, stderr };
}

/** What it printed. Throws, with its last words, unless it ended well. */
export async function runCommand(command: string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await tryCommand(command, options);
  if (code === 0) return stdout;
  const words = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n');
  throw new Error(`${command.slice(0, 6).join(' ')} … ended with ${code ?? 'a signal or its deadline'}:\n${words}`);
}
