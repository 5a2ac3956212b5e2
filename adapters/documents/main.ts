import process from 'node:process';
import { CannotServe, serve } from './serve.ts';

/** Exit code for wrong usage of `node main.js FOLDER…`, which serves documents over stdio; stdout carries JSON-RPC only. */
const wrongUsage = 64;
const say = (message: string): void => void process.stderr.write(`documents: ${message}\n`);

const folders = process.argv.slice(2);
if (folders.length === 0 || folders.includes('')) {
  say('usage: node main.js FOLDER…');
  process.exitCode = wrongUsage;
} else {
  const end = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end.abort());
  try {
    await serve(folders, { notice: say, signal: end.signal });
    process.exit(0);
  } catch (error) {
    if (!(error instanceof CannotServe)) throw error;
    say(error.message);
    process.exit(wrongUsage);
  }
}
