/** Declares the commands of traces and tests, which `scenarios/` carries out. */
import { InvalidArgumentError, type Command } from 'commander';
import type { CommandContext, ActionMaker, Laboratory } from './context.ts';
import {
  choice,
  jsonOption,
  list,
  option,
  portOf,
  preset,
  secondsOf,
  wholeOf,
  withJson,
  withOptions,
  type OptionsOf,
} from './options.ts';
import { words as about } from './words.ts';

const fromOne = (text: string): number => {
  if (wholeOf(text) > 0) return Number(text);
  throw new InvalidArgumentError('at least one');
};
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const spanOf = (text: string): number => {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = Number(number) * (units[unit] ?? 1000);
  if (number !== '' && ms >= 1 && ms <= 2_000_000_000) return Math.round(ms);
  throw new InvalidArgumentError('a time such as 500ms, 60s, 10m or 1h');
};
const replayHelp = `
exit codes: 0 the same · 1 changed · 2 an invariant is violated · 3 something never came, or never ended ·
5 the trace is unusable · 64 wrong usage. For several files: the highest.`;
const laboratoryOf = ({ laboratory }: CommandContext): Promise<Laboratory> =>
  laboratory ? laboratory() : Promise.reject(new Error('replay, fork and sim belong to the command a2c'));

const simHelp = `
exit codes: 0 no invariant was violated · 1 one was · 4 not deterministic · 64 wrong usage · 130 Ctrl-C
The same seed, --for and --faults go the same way on every machine; the digest says so.`;
const ofSim = () => [
  option('--seed <seed>', 'the first seed: a number, or any text such as a commit (default: by chance)'),
  option('--seeds <n>', 'how many runs (default: 200, with --seed one)', fromOne),
  preset(option('--for <time>', 'how long things go wrong in each', spanOf), 60_000, '60s'),
  preset(
    option(
      '--faults <list>',
      'layers and words of the fault vocabulary, all or none: hosts stop and start things all the same',
    ),
    'all',
  ),
  option(
    '--nodes',
    'an office on three nodes instead: nodes and their register fail, messages are lost, late or doubled',
  ).conflicts(['shrink', 'coverage']),
  preset(option('--shrink', 'shrink what failed'), false),
  option('--time-budget <time>', 'begin no further run after that', spanOf),
  option('--workers <n>', 'threads (default: one a core)', wholeOf),
  preset(option('--coverage', 'also tell which faults and transitions never happened'), false),
  preset(
    option('--out <dir>', 'where the scenario and the trace of what failed are written'),
    'sim-failures',
  ),
  jsonOption(),
];
/** Times are in ms; that of the faults is virtual. */
export type SimOptions = OptionsOf<typeof ofSim>;
const addSim = (program: Command, does: ActionMaker): Command =>
  withOptions(program.command('sim'), ofSim())
    .description(
      'runs the whole system with random faults in virtual time, from seeds, and checks every invariant',
    )
    .addHelpText('after', simHelp)
    .action(does(laboratoryOf, 'simulate'));

const ofShow = () => [
  option('-p, --port <port>', 'port on 127.0.0.1 (default: any free one)', portOf),
  preset(option('--replay', 'of one trace: show beside it what today’s code makes of it'), false),
  option('--html <out>', 'write the page with the traces in it as one HTML file instead'),
  option('--no-browser', 'show the address, and open no browser'),
];
export type ShowOptions = OptionsOf<typeof ofShow>;
function addShow(program: Command, does: ActionMaker): void {
  withOptions(program.command('show'), ofShow())
    .description(
      'shows a trace, or several of one incident joined by their calls, in a browser of this machine (docs/inspector.md), until Ctrl-C',
    )
    .argument('<file...>', 'traces')
    .addHelpText(
      'after',
      '\nexit codes: 0 written, or after Ctrl-C · 1 it cannot listen or write · 5 the trace is unusable · 64 wrong usage',
    )
    .action(does(laboratoryOf, 'showTrace'));
}

const ofRedact = () => [
  list('--path <path>', 'what stands there, such as ev.arguments.pin; * for any step; may be given again'),
  list('--value <text>', 'a text, wherever it stands; may be given again'),
  option('-o, --out <file>', 'the new trace (default: NAME.redacted.trace.ndjson beside it)').conflicts(
    'inPlace',
  ),
  preset(option('--in-place', 'replace the file'), false),
];
export type RedactTraceOptions = OptionsOf<typeof ofRedact>;
function addRedact(program: Command, does: ActionMaker): void {
  withOptions(program.command('redact'), ofRedact())
    .description('writes a trace without values that nobody else may see; it stays a trace that replays')
    .argument('<file>', 'a trace')
    .addHelpText(
      'after',
      '\nexit codes: 0 written · 1 a path or a text matched nothing, or it cannot write · 5 the trace is unusable · 64 wrong usage',
    )
    .action(does(laboratoryOf, 'redactTrace'));
}

const replaying = async (context: CommandContext) => {
  const { replayTraces, playServer } = await laboratoryOf(context);
  return {
    replay: (c: CommandContext, paths: unknown, options: Partial<PlayingOptions>) =>
      (options.server === undefined ? replayTraces : playServer)(c, paths as never, options as never),
  };
};
function addWhy(program: Command, does: ActionMaker): void {
  withJson(program.command('why'))
    .description(`${about.why}: of a trace, or of a server of a running host`)
    .argument('[file|server]', 'a trace, or a server (default: the last failure that a host has kept)')
    .addHelpText(
      'after',
      '\nexit codes: 0 told · 1 no such server runs · 5 the trace is unusable · 64 wrong usage',
    )
    .action(does(laboratoryOf, 'why'));
}
const ofReplay = () => [
  option('--until <seq>', 'stop after this input and show where every machine stands', wholeOf).conflicts(
    'accept',
  ),
  preset(option('--inputs', 'also list what the world did, each with its number'), false),
  preset(
    option('--accept', 'accept a wanted change: rewrite each changed trace with the current behaviour'),
    false,
  ),
  option('--junit <file>', 'write the results as JUnit XML'),
  option('--html <out>', 'of one trace: write the page that shows it, and what differs, as one HTML file'),
  jsonOption(),
];
export type ReplayOptions = OptionsOf<typeof ofReplay>;
const ofPlaying = () => [
  option(
    '--server <name>',
    'be this recorded server instead: MCP on stdin and stdout, its answers and its death as they were recorded',
  ).conflicts(['until', 'inputs', 'accept', 'junit', 'html', 'json']),
  preset(
    choice('--match <how>', 'with --server: which requests are those that were recorded', ['exact', 'tool']),
    'exact',
  ),
  option('--no-strict', 'with --server: answer what was not recorded as the nearest request was'),
];
export interface PlayingOptions extends Partial<OptionsOf<typeof ofPlaying>> {
  readonly server: string;
}
function addReplay(program: Command, does: ActionMaker): void {
  withOptions(program.command('replay'), [...ofReplay(), ...ofPlaying()])
    .description(
      'lets everything that a trace recorded happen again on today’s code, and compares what the world and the user see of it',
    )
    .argument('<path...>', 'traces, or folders of them')
    .addHelpText('after', replayHelp)
    .action(does(replaying, 'replay'));
}
const ofFork = () => [
  list(
    '--change <n:what>',
    'change input N: N:skip, N:answer[=JSON], N:error[=TEXT] or N:PATH=VALUE; may be repeated',
  ),
  option('--at <seq>', 'the input from which on it is another world', wholeOf),
  list('--set <key=value>', 'another value in that input, such as ev.code=1'),
  list('--inject <json>', 'an input just before it, such as {"ch":"host:computer","ev":{"type":"close"}}'),
  preset(
    option('--skip <seq>', 'an input that does not happen', (text, all: readonly number[] = []) => [
      ...all,
      wholeOf(text),
    ]),
    [],
  ),
  option('--out <file>', 'the new trace (default: beside the old one)'),
  jsonOption(),
];
export type ForkOptions = OptionsOf<typeof ofFork>;
function addFork(program: Command, does: ActionMaker): void {
  withOptions(program.command('fork'), ofFork())
    .description(
      'what would have happened: a trace with a change in it, as a new trace; without a change, which there are',
    )
    .argument('<file>', 'a trace')
    .action(does(laboratoryOf, 'forkTrace'));
}

const verifyHelp = `
A hidden value is named by where it stands, such as --set arguments.pin=1234, --set env.TOKEN=… or --set input.key=…;
PATH:=JSON gives what is no text. What is needed and not given is listed, and nothing is started.

N is the number of a record of the request, as verify and replay --inputs print it. PATH names a place in an
answer: --ignore result.structuredContent.time, --expect 25:result.content.0.text=30, and --expect
25:error.code=-32602 or 25:result.isError=true for an error that is wanted.

exit codes: 0 all is answered as it should be (green) · 1 a recorded failure comes again (red) · 2 it fails in
another way, or another answer differs (other) · 3 what was recorded cannot be asked (unsure) · 5 the trace is
unusable · 64 wrong usage, or --yes or --set is missing · 130 Ctrl-C`;
const ofVerify = () => [
  option('--server <name>', 'a recorded server (default: the one that failed)'),
  list('--set <path=value>', 'a value that the trace hides; may be repeated'),
  option('--record <n>', 'the failure to verify, alone (default: all, first that of the trace)', wholeOf),
  preset(option('--yes', 'also call tools that are not marked read-only'), false),
  preset(option('--exact', 'compare answers by value, not by shape'), false),
  list('--ignore <path>', 'a place of answers that is not compared; may be repeated'),
  list('--expect <n:path=value>', 'a value that an answer must have; may be repeated'),
  preset(option('--update', 'write the new answers into the trace, after they were shown'), false),
  option('--junit <file>', 'write the result as JUnit XML'),
  preset(option('--timeout <seconds>', 'for each request that did not fail by time', secondsOf), 60),
  jsonOption(),
];
export type VerifyOptions = OptionsOf<typeof ofVerify>;
const addVerify = (program: Command, does: ActionMaker): Command =>
  withOptions(program.command('verify'), ofVerify())
    .description(
      'asks a real server all that was recorded, in the recorded order and overlap: green when it is right',
    )
    .argument('<file>', 'a trace')
    .argument('[command...]', 'behind --: the server to ask (default: that of the recorded config)')
    .addHelpText('after', verifyHelp)
    .action(does(laboratoryOf, 'verifyServer'));

const judgeHelp = `
The driver is a program in any language that embeds the host and speaks lines of JSON on stdin and
stdout. Each case has drivers of its own; two of three runs must agree. Needs Linux.

exit codes: 0 right in every case that applies · 1 not, or the driver fails · 64 wrong usage · 130 Ctrl-C`;
const ofJudge = () => [
  list('--only <case>', 'play this case; may be repeated'),
  preset(option('--list', 'list the cases with their rules, and play none'), false),
  preset(option('--at-once <n>', 'how many cases are played at once', fromOne), 4),
  jsonOption(),
  preset(option('--markdown', 'a page of Markdown on stdout'), false).conflicts('json'),
];
export type JudgeOptions = OptionsOf<typeof ofJudge>;
const addJudge = (program: Command, does: ActionMaker): Command =>
  withOptions(program.command('judge'), ofJudge())
    .description('judges how an MCP host behaves when its servers misbehave (docs/judge.md)')
    .argument('[driver...]', 'behind --: the command of the driver of the host')
    .addHelpText('after', judgeHelp)
    .action(does(laboratoryOf, 'judgeHost'));

export function addTo(program: Command, does: ActionMaker): void {
  addWhy(program, does);
  const trace = program.command('trace').description('recordings: look at them, and play them again');
  for (const add of [addShow, addReplay, addVerify, addFork, addRedact, addWhy]) add(trace, does);
  const lab = program.command('lab').description('tests of hosts');
  for (const add of [addSim, addJudge]) add(lab, does);
}
