#!/usr/bin/env node
// MCP server that misbehaves as its argument says. It needs only Node and the files of this folder.
import { appendFileSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createActs, endBy, launching } from './acts.mjs';
import { configAt, readConfig } from './config.mjs';
import { createInput } from './input.mjs';
import { createOutput } from './output.mjs';
import { createOwn } from './own/own.mjs';
import { createReplies } from './replies.mjs';
import { createSession } from './session.mjs';
import { createCounts, createCountsIn, createTriggers } from './triggers.mjs';
import { Refusal } from './vocabulary.mjs';

const exitCodes = { usage: 64, lifeIsOver: 70 };

/** Number of this start, counted over restarts in a file. */
function countStart(file) {
  if (file === undefined) return 1;
  appendFileSync(file, `${process.pid}\n`);
  return readFileSync(file, 'utf8').split('\n').length - 1;
}

function createLog(file) {
  if (file === undefined) return () => {};
  const fd = openSync(file, 'a');
  return (fact) =>
    writeSync(fd, `${JSON.stringify({ t: Math.round(performance.now()), at: Date.now(), ...fact })}\n`);
}

/** Writes the last words to stderr when this process exits by itself; a signal leaves no time for them. */
function sayAtExit(lastWords) {
  if (lastWords === undefined) return;
  process.on('exit', () => {
    try {
      writeSync(2, `${lastWords}\n`);
    } catch {
      // Stderr is closed, or full and not read.
    }
  });
}

/** Serves over HTTP and ends as soon as it is told to, because faults of the shutdown exist for processes only. */
async function serveAtUrl(config, log) {
  const { serveHttp } = await import('./http/http.mjs');
  const end = (code) => process.exit(code);
  process.stdout.on('error', () => {});
  process.stdin.on('error', () => {}).on('end', () => end(0));
  process.stdin.resume();
  process.on('SIGTERM', () => endBy('SIGTERM'));
  setTimeout(() => end(exitCodes.lifeIsOver), config.base.lifeMs);
  serveHttp(config, { log, end });
}

/** Runs a server until it ends the process. */
async function serve(config) {
  const log = createLog(config.log);
  if (config.http) return serveAtUrl(config, log);
  const start = countStart(config.starts);
  const now = configAt(config, start);
  const { faults, seed, lifeMs } = now;
  log({ did: 'start', start, pid: process.pid, parent: process.ppid });
  const shared = config.starts === undefined ? createCounts() : createCountsIn(`${config.starts}.faults`);
  const triggers = createTriggers(faults, seed, shared);
  sayAtExit(now.lastWords);
  const output = createOutput(process.stdout);
  const needsOthers = faults.some(({ fault }) => launching.has(fault));
  const childProcess = needsOthers ? await import('node:child_process') : undefined;
  process.stderr.on('error', () => {});
  const input = createInput(process.stdin, {
    line: (text) => session.receive(text),
    end: () => onStdinEnd(),
  });
  const { acts, partial, killGrandchildren } = createActs({
    childProcess,
    output,
    input,
    lifeMs,
    log,
  });
  const own = createOwn(now, {
    say: (list) => session.say(list),
    update: (uri) => session.update(uri),
    isOver: () => false,
  });
  const run = (fault, act) => {
    const go = () => {
      log({ did: fault.fault });
      act(fault);
    };
    if (fault.afterMs > 0) setTimeout(go, fault.afterMs);
    else go();
  };
  const happen = (when, tool) => {
    triggers.reach(when);
    for (const all of [acts, own.changes])
      for (const fault of triggers.take(all, when, tool)) run(fault, all.get(fault.fault));
    if (when !== 'start' && when !== 'ready') return;
    for (const fault of triggers.take(new Set(['frame.partialThenDie']), when)) run(fault, partial);
  };
  const replies = createReplies({ triggers, output, log });
  const session = createSession(now, { own, triggers, happen, output, replies, log });
  const { onStdinEnd, onSigterm } = createEnd({ triggers, happen, output, log, session });

  process.on('SIGTERM', onSigterm);
  setTimeout(() => {
    log({ did: 'lifeMs' });
    killGrandchildren();
    process.exit(exitCodes.lifeIsOver);
  }, lifeMs);
  happen('start');
  input.open();
}

/** Ends the server when it is told to, in the way of its faults. */
function createEnd({ triggers, happen, output, log, session }) {
  const state = { isEnding: false };
  const taken = (name, when) => {
    const [fault] = triggers.take(new Set([name]), when);
    if (fault) log({ did: name });
    return fault;
  };
  const slowly = (when, end) => {
    const slow = taken('proc.slowExit', when);
    if (!slow) return end();
    session.silence();
    const last = () => {
      log({ did: 'saved' });
      end();
    };
    setTimeout(last, slow.ms + (slow.afterMs ?? 0));
  };
  const onStdinEnd = () => {
    log({ got: 'stdin.end' });
    happen('stdinEnd');
    if (taken('proc.ignoreStdinClose', 'stdinEnd')) return;
    slowly('stdinEnd', () => output.drained(() => process.exit(0)));
  };
  const onSigterm = () => {
    log({ got: 'SIGTERM' });
    happen('sigterm');
    if (state.isEnding || taken('proc.ignoreSigterm', 'sigterm')) return;
    state.isEnding = true;
    // Ends by the signal itself, like a process that does not handle it.
    slowly('sigterm', () => endBy('SIGTERM'));
  };
  return { onStdinEnd, onSigterm };
}

/** Splits the options `--http`, `--port` and `--sse` from the other arguments. */
function httpIn(args) {
  const rest = [...args];
  let http;
  while (['--http', '--port', '--sse'].includes(rest[0])) {
    const [option] = rest.splice(0, 1);
    const more =
      option === '--port' ? { port: Number(rest.shift()) } : option === '--sse' ? { kind: 'sse' } : {};
    http = { ...http, ...more };
  }
  return { http, rest };
}

function textOf([first, second, ...rest]) {
  const usage = '--help says what it takes';
  if (first === '--file') {
    if (second === undefined || rest.length > 0) throw new Refusal('--file takes one file', usage);
    try {
      return readFileSync(second, 'utf8');
    } catch (error) {
      throw new Refusal(`the config cannot be read: ${error.message}`, 'name a file that is there');
    }
  }
  if (first?.startsWith('-')) throw new Refusal(`there is no option ${first}`, usage);
  if (second !== undefined) throw new Refusal('it takes one config', `quote it as one argument; ${usage}`);
  return first ?? '{}';
}

async function main(args) {
  const [first, second] = args;
  if (first === '--help' || first === '--list') {
    const { help, list, listData } = await import('./print.mjs');
    process.stdout.write(first === '--help' ? help : second === '--json' ? listData() : list());
    return;
  }
  let config;
  try {
    const { http, rest } = httpIn(args);
    config = readConfig(textOf(rest), http);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`fault-server: ${error.message}\n  ${error.remedy}\n`);
    process.exitCode = exitCodes.usage;
    return;
  }
  await serve(config);
}

await main(process.argv.slice(2));
