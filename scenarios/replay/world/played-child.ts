import { PassThrough, Writable } from 'node:stream';
import type { Launched, LaunchEnd } from '../../../actors/api/world-doors.ts';
import type { PlayedServer } from './played-server.ts';
import type { RecordedSession } from './recorded.ts';

/** Ignores lines that are no JSON message. */
export function lineReader(take: (message: unknown) => void): (chunk: Buffer | string) => void {
  let rest = '';
  const decoder = new TextDecoder();
  return (chunk) => {
    const lines = (
      rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    ).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        continue;
      }
      take(message);
    }
  };
}

/** All code that reads the pipes is the real one. Ends as the recorded process did; a signal ends it at once. */
export function playedChild(
  server: PlayedServer,
  session: RecordedSession,
  clock: { setTimeout(run: () => void, ms: number): unknown },
): Launched {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let isOver = false;
  let tellEnd = (_end: LaunchEnd): void => {};
  const ended = new Promise<LaunchEnd>((resolve) => (tellEnd = resolve));
  const end = (code: number | null, signal: string | null, text = ''): void => {
    if (isOver) return;
    isOver = true;
    played.close();
    stderr.end(text);
    stdout.end();
    tellEnd({ code, signal });
  };
  const played = server.open(session, {
    say: (message) => void (isOver || stdout.writableEnded || stdout.write(`${JSON.stringify(message)}\n`)),
    die: ({ code, signal, stderr: text, isOutputOnly }) => {
      if (isOutputOnly) stdout.end();
      else end(code, signal, text);
    },
  });
  const read = lineReader((message) => played.take(message));
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      read(chunk);
      done();
    },
    final: (done) => {
      end(session.endCode ?? 0, null);
      done();
    },
  });
  const { ms = 0, failed } = session.process ?? {};
  const started = new Promise<number>((resolve, reject) => {
    const begin = (): void => {
      if (!failed) return resolve(0);
      isOver = true;
      const message = failed.message.replace(/^cannot start ".*?": /, '');
      reject(Object.assign(new Error(message), { isFinal: failed.isFinal }));
    };
    clock.setTimeout(begin, ms);
  });
  return {
    stdin,
    stdout,
    stderr,
    started,
    ended,
    signal: (signal) => end(null, signal),
    living: () => (isOver ? 0 : 1),
  };
}
