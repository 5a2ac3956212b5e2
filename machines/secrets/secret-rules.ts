/** Which values are secrets, of which nobody said so: by their names and forms, in texts, variables, arguments and URLs. */
import { jsonIn } from '../protocol/json.ts';
import { merged, spansOf, textInBase64, type Span } from './secret-index.ts';
import { isSecretName, saidBy } from './secret-names.ts';

/** The first group stays readable. Texts have up to 8 MiB: never scan a stretch twice or repeat unbounded. */
const forms = [
  // Does not match plain English such as `basic authentication`.
  /((?:bearer|basic)\s{1,8})(?![a-z]{1,40}(?![\w~+/=-]))[\w.~+/=-]{8,65536}/gi,
  /\b(sk-)[\w-]{16,4096}/g,
  /\b(gh[pousr]_|github_pat_)\w{20,4096}/g,
  /\b(xox[abprs]-)[\w-]{10,4096}/g,
  /\b(AKIA)[0-9A-Z]{16}/g,
  /(?<![\w-])(eyJ)[\w-]{8,4096}\.[\w-]{8,65536}\.[\w-]{0,4096}/g,
  /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,4096}(?=@)/g,
  /(:\/\/)[^\s/:@?#]{4,4096}(?=@)/g,
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,65536}/g,
];
/** `password=…` or `"apiKey": "…"`; the complete name may start further left and turn out to be harmless. */
const assigned =
  /((password|passwd|passphrase|passcode|secret|token|mnemonic|seed|login|iban|otp|ssn|pin|pwd?|cv[vc]|sess(?:ion)?[_-]?id|(?:api|access|private)[_-]?key)["'\\]{0,4}\s{0,8}([=:])\s{0,8}(["'\\]{0,4}))([^\s"'\\&;,<>(){}[\]]{3,65536})/gi;
const longestAssignedName = 60;
/** After a secret name, as in `missing secret: API_TOKEN` and `token: expired`, which are no secrets. */
const isSaid = /^([a-z_]+|[A-Z][a-z]+|[A-Z]+(_[A-Z\d]+)*)[.!?]?$/;
/** A text without any of these fragments contains no secret of a known form; most contain none. */
const beginnings =
  /bearer|basic|sk-|gh[pousr]_|github_pat_|xox|AKIA|eyJ|:\/\/|-----BEGIN|pass|secret|token|key|(?:mnemonic|seed|login|iban|otp|ssn|pin|pwd?|cv[vc]|sess(?:ion)?[_-]?id)["'\\]{0,4}\s{0,8}[=:]/i;

export const formsIn = (text: string): Span[] => (beginnings.test(text) ? [...spansOfForms(text)] : []);
function* spansOfForms(text: string): Generator<Span> {
  for (const form of forms)
    for (const { 0: all, 1: start = '', index } of text.matchAll(form))
      yield [index + start.length, index + all.length];
  for (const {
    0: all,
    1: start = '',
    2: word = '',
    3: sign,
    4: quote,
    5: value = '',
    index,
  } of text.matchAll(assigned)) {
    if ((sign === ':' && quote === '' && isSaid.test(value)) || isSwitch.test(value) || value === '***')
      continue;
    const [before] = /[\w-]*$/.exec(text.slice(Math.max(0, index - longestAssignedName), index)) ?? [''];
    if (isSecretName(before + word)) yield [index + start.length, index + all.length];
  }
}

type Texts = Readonly<Record<string, string>>;

/** Settings and no secrets, such as `true` in `USE_TOKEN=true` or `basic` in `AUTH=basic`. */
const isSwitch =
  /^(|true|false|yes|no|on|off|null|none|0|1|auto|all|default|enabled|disabled|basic|bearer|local|localhost|test|testing|prod|staging|development|production|debug|info|warn|warning|error|verbose|quiet|json|text|stdio|https?|utf-?8)$/i;
const shortest = 4;

const isNumber = /^(?!.*\d{16})[-+]?\d[\d .,:+-]{0,40}[a-z%]{0,5}$|^\d{4}-\d\d-\d\dT[\d:.+-]+Z?$/i;
const isPath = /^(~|\.{0,2}|[a-z]:|file:\/\/)[/\\]/i;
const isHost =
  /^(?=.*[.:])([a-z\d-]+\.)*(\d+|[a-z][a-z-]*\d{0,3})(:\d{1,5})?$|^\[?[\da-f]{0,4}(:[\da-f]{0,4}){2,7}\]?(:\d+)?$/;
const isMail = /^[\w.+-]{1,40}@([a-z\d-]+\.)+[a-z]{2,}$/i;
/** At least 16 characters with digits and letters of both cases; hexadecimal text is mostly a hash. */
const isChance = (text: string): boolean =>
  (text.match(/[\w+=]{16,4096}/g) ?? []).some(
    (run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run),
  );
const isPlaceholder = /^\$(\w+|\{[^{}]*\})$/;
const isPlain = (text: string): boolean =>
  isNumber.test(text) ||
  isPlaceholder.test(text) ||
  isMail.test(text) ||
  ((isPath.test(text) || isHost.test(text)) && !isChance(text));
const longestList = 8_192;
const isPlainList = (text: string): boolean =>
  text.length <= longestList &&
  text
    .split(/[,;]|:(?=[~./])/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .every((piece) => isSwitch.test(piece) || isPlain(piece));

/** The only rule of this kind (docs/security.md). */
export function isSecretValue(name: string, value: string): boolean {
  if (isSwitch.test(value.trim())) return false;
  const said = saidBy(name);
  if (said === 'secret' || said === 'public') return said === 'secret' || isChance(value);
  return value.length >= shortest && !isPlainList(value);
}

const asSecret = 'secret';
type Part = readonly [name: string, value: string];
const scheme = /^(?:bearer|basic|token|bot|digest|negotiate|api-?key)\s+(\S+)$/i;

/** No real setting is deeper. */
const deepest = 16;
function leavesOf(value: unknown, name: string, depth = 0): Part[] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, Array.isArray(value) ? name : key, depth + 1),
  );
}
const url = /^[a-z][\w+.-]*:\/\/(?:([^/?#\s]*)@)?[^/?#\s]*([^?#\s]*)(?:\?([^#\s]*))?(?:#(\S*))?$/i;
const isAssigned = /^[\w .-]+[=:]/;
/** `a=1&b=2`, `a=1; b=2`, or one header per line. */
const pairsIn = (text: string, ends: RegExp): Part[] =>
  text.split(ends).flatMap((pair): Part[] => {
    const [, name = '', value] = /^([^=:]+)[=:](.*)$/s.exec(pair.trim()) ?? [];
    return value === undefined ? [] : [[name, value.trim()]];
  });
const chanceIn = (path: string): Part[] =>
  path.split('/').flatMap((part): Part[] => (isChance(part) ? [[asSecret, part]] : []));
function partsOfUrl(text: string): Part[] | undefined {
  const [whole, login, path = '', query = '', fragment = ''] = url.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(login ?? '') ?? [];
  return [
    [password === undefined ? '' : 'user', user],
    [asSecret, password ?? ''],
    ...pairsIn(query, /&/),
    ...pairsIn(fragment, /&/),
    ...chanceIn(path),
  ];
}
/** Under a name that says nothing most are words of a setting: only what has digits may be a secret. */
const isTold = ([name, text]: Part): boolean =>
  saidBy(name) !== 'nothing' ||
  isChance(text) ||
  (/^(?=\D{0,64}\d)\S{8}/.test(text) && !/\s/.test(text)) ||
  partsOf(text) !== undefined;
/** Parts of JSON, of a URL or of a list of pairs; undefined for a simple value. */
function partsOf(value: string): Part[] | undefined {
  const json = /^\s*[{[]/.test(value) && jsonIn(value);
  if (typeof json === 'object') return leavesOf(json, '').filter(isTold);
  const credential = scheme.exec(value)?.[1];
  if (credential !== undefined) return [[asSecret, credential]];
  const ofUrl = partsOfUrl(value);
  if (ofUrl) return ofUrl;
  const ends = /[;&\n]/;
  return isAssigned.test(value) && ends.test(value) ? pairsIn(value, ends) : undefined;
}
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
/** After `Bearer` also the token alone, after `Basic` the password, and the one of `user:password`. */
function credentialsIn(value: string): string[] {
  const [, credential] = /^\w+ +(?=\S*[^\sa-z])(\S+)$/.exec(value) ?? [];
  const [, password] = /^[^:]*:(.+)$/s.exec(textInBase64(credential ?? value) ?? value) ?? [];
  return [credential, password].filter((text) => text !== undefined);
}
const mostInside = 4;
export function secretsUnder(name: string, value: string, depth = 0): string[] {
  const isSecret = isSecretValue(name, value);
  const parts = depth < mostInside ? partsOf(value) : undefined;
  const inside = (parts ?? []).flatMap(([each, part]) => secretsUnder(each, part, depth + 1));
  const isAll = saidBy(name) === 'secret' || !parts;
  const own = isSecret && isAll ? [value, decoded(value), ...credentialsIn(value)] : [];
  return [...new Set([...own, ...inside])].filter((text) => text.trim() !== '' && !isSwitch.test(text));
}

const option = /^--?[\w.-]+$/;
/** Matches options of `curl`, `mysql` and others whose value is `user:password`, or a password (also as `-pX1`). */
const ofLogin = /^(-u|-U|--user|--proxy-user)$/;
const ofPassword = /^-[pP]$/;
const joinedPassword = /^-p(?=\D*\d)[^=]+$/;
/** Programs that download what they run. They take the name of a package after `-p`. */
export const isRunner = (command: string): boolean =>
  /(^|[/\\])(npx|npm|pnpm|pnpx|yarn|bunx|uvx?)(\.cmd)?$/.test(command);
/** Followed by a variable (`NAME=value`) or a header (`Name: value`). */
const ofVariables = /^(-e|--env|-H|--headers?)$/;
const assignment = /^((--?[\w.-]+)=|([A-Za-z_][\w.-]*)(?:=|:\s*))(.*)$/s;
/** The value begins at `start`; `isVariable` marks an environment variable or header. */
function spansUnder(name: string, arg: string, start: number, depth = 0, isVariable = false): Span[] {
  const value = arg.slice(start);
  const login = ofLogin.test(name) ? value.indexOf(':') + 1 : 0;
  if (login > 0 && isSecretValue('', value.slice(login))) return [[start + login, arg.length]];
  const inside = depth < mostInside ? assignment.exec(value) : null;
  const [, sign = '', flag, variable = '', rest = ''] = inside ?? [];
  const isNamed = isVariable || saidBy(name) !== 'nothing';
  if (inside && !isNamed && !url.test(value)) {
    const isOfVariables = ofVariables.test(name);
    // Searches only for recognizable forms in a shell command, because the command continues after the assignment.
    const isLine = flag === undefined && !isOfVariables && /\s/.test(rest);
    return isLine ? [] : spansUnder(flag ?? variable, arg, start + sign.length, depth + 1, isOfVariables);
  }
  if (!isNamed && partsOf(value) === undefined) return [];
  return secretsUnder(name, value).flatMap((secret): Span[] => {
    if (secret === value) return [[start, arg.length]];
    return [...spansOf(value, secret)].map(([from, to]): Span => [start + from, start + to]);
  });
}
export function* loginsIn(text: string): Generator<Span> {
  for (const { 0: all, 1: start = '', index } of text.matchAll(/(:\/\/)[^/?#\s]{0,4096}(?=@)/g))
    yield [index + start.length, index + all.length];
}
/** By name in options, variables, URLs and JSON, and by form. `command` is the program that gets them. */
export const secretSpansIn = (args: readonly string[], command = ''): (readonly Span[])[] =>
  args.map((arg, at) => {
    const before = args[at - 1] ?? '';
    const isValue = option.test(before) && !arg.startsWith('-');
    const from = isValue && ofPassword.test(before) ? 0 : joinedPassword.test(arg) ? 2 : -1;
    const isPassword = from >= 0 && !isRunner(command) && isSecretValue('', arg.slice(from));
    const spans = spansUnder(isValue ? before : '', arg, 0);
    return merged([...spans, ...formsIn(arg), ...(isPassword ? [[from, arg.length] as const] : [])]);
  });
export function secretsIn(env: Texts, args: readonly string[] = [], command?: string): string[] {
  const spans = secretSpansIn(args, command);
  const told = args.flatMap((arg, at) => (spans[at] ?? []).map(([from, to]) => arg.slice(from, to)));
  return [
    ...new Set([
      ...Object.entries(env).flatMap(([name, value]) => secretsUnder(name, value)),
      ...told.flatMap((text) => secretsUnder(asSecret, text)),
    ]),
  ];
}
