import { resolve } from 'node:path';
import { configToWrite, findConfig } from '../../../adapters/index.ts';
import type { ConfigChange } from '../../../machines/config/index.ts';
import { readLenientJson } from '../../../machines/models/lenient-json.ts';
import { changeConfig } from '../../api/config-files.ts';
import { A2cError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { errorOf, showFailure } from '../printing/show-failure.ts';

/** `a2c add`, `remove`, `enable`, `disable`: one change of a config file. Nothing is started. */
export interface EditOptions {
  /** Default: the config of this user. */
  readonly config?: string;
  readonly json: boolean;
}
export interface AddOptions extends EditOptions {
  /** `KEY=value`. */
  readonly env?: readonly string[];
  /** `Name: value`. */
  readonly header?: readonly string[];
  readonly cwd?: string;
  readonly sse?: boolean;
  readonly disabled?: boolean;
  readonly force?: boolean;
}
const wrong = (message: string, remedy: string): A2cError => new A2cError({ code: 400, message, remedy });

export async function add(
  context: Context,
  name: string,
  target: readonly string[],
  options: AddOptions,
): Promise<number> {
  const isReplacing = options.force === true;
  let entry: object;
  try {
    entry = { ...entryOf(target, options), ...(options.disabled === true && { disabled: true }) };
  } catch (error) {
    showFailure(context, errorOf(error), options.json);
    return exitCodes.usage;
  }
  return change(context, { what: 'add', name, entry, isReplacing }, options);
}
export const remove = (context: Context, name: string, options: EditOptions): Promise<number> =>
  change(context, { what: 'remove', name }, options);
export const enable = (context: Context, name: string, options: EditOptions): Promise<number> =>
  change(context, { what: 'enable', name }, options);
export const disable = (context: Context, name: string, options: EditOptions): Promise<number> =>
  change(context, { what: 'disable', name }, options);

/** An entry as `mcpServers` has it. */
function entryOf(target: readonly string[], { env = [], header = [], cwd, sse }: AddOptions): object {
  const [first = '', ...args] = target;
  const isUrl = /^https?:\/\//i.test(first);
  const isJson = first.trimStart().startsWith('{');
  if ((isUrl || isJson) && args.length > 0)
    throw wrong(`'${args[0]}' stands behind the ${isUrl ? 'URL' : 'JSON'}`, 'Options begin with --.');
  if (isJson) {
    const entry = readLenientJson(first);
    if (typeof entry === 'object' && entry !== null) return entry;
    throw wrong('the entry is not JSON', `Quote it: '{"command": "npx", "args": ["-y", "server"]}'`);
  }
  if (isUrl && (env.length > 0 || cwd !== undefined))
    throw wrong('a URL takes neither --env nor --cwd', 'Use --header.');
  if (!isUrl && (header.length > 0 || sse === true))
    throw wrong('a command takes neither --header nor --sse', 'Use --env.');
  if (isUrl) {
    const headers = Object.fromEntries(header.map((text) => split(text, /:\s*/, 'Name: value')));
    return {
      ...(sse === true && { type: 'sse' }),
      url: first,
      ...(header.length > 0 && { headers }),
    };
  }
  return {
    command: first,
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: Object.fromEntries(env.map((text) => split(text, /=/, 'KEY=value'))) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
  };
}
function split(text: string, at: RegExp, form: string): readonly [string, string] {
  const { index, 0: sign } = at.exec(text) ?? { index: -1, 0: '' };
  if (index < 1) throw wrong(`'${text}' is not of the form ${form}`, `Write it as ${form}.`);
  return [text.slice(0, index), text.slice(index + sign.length)];
}

const done = { add: 'added', remove: 'removed', enable: 'enabled', disable: 'disabled' } as const;
async function change(
  { terminal, folder = process.cwd() }: Context,
  what: Exclude<ConfigChange, { what: 'import' }>,
  { config, json }: EditOptions,
): Promise<number> {
  const { file } = await configToWrite(config, folder);
  const isSame = await changeConfig(file, what);
  const { name } = what;
  const facts = { file, server: name, change: isSame ? null : done[what.what] };
  if (json) terminal.out(JSON.stringify(facts));
  else {
    terminal.out(
      isSame ? `${name} is ${done[what.what]} already in ${file}` : `${done[what.what]} ${name} in ${file}`,
    );
    if (what.what === 'add')
      terminal.out(`see what it has: a2c tools ${name}${config === undefined ? '' : ` -c ${config}`}`);
  }
  // A file of this folder comes before that of the user.
  const used = await findConfig(config, folder);
  if (used && used.file !== file)
    terminal.err(`warning: in this folder ${used.file} counts, not ${file}; -c ${used.file} changes it`);
  return exitCodes.done;
}
