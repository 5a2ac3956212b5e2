import { spansOf, textInBase64, type Span } from './secret-index.ts';

const secretNames =
  /(password|passwd|passphrase|passcode|secret|credential|cookie|authorization|bearer|(api|access|auth|private|secret|signing|encryption|master|account|ssh|license)_?key)s?(_?(\d+|value|confirm|confirmation|plain|raw))?$|token(_?(\d+|value|raw))?$|[a-z0-9]_(pass|pwd)$|_auth$|(密码|口令|密钥|令牌)$/;
const harmless = /(progress|page|next)_?token$/;
/**
 * Names that mean a secret only for variables, headers, parameters and options; in a record they mean
 * something else.
 */
const ofLaunches = /(^|_)(pass|pat|jwt)\d*$/;
const keyNames =
  /(^|_)(keys?|auth|sig|signature|code|k|dsn|salt|webhook)\d*$|(^|_)(secret|token|password|credentials?|webhook)_/;

const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[-.\s]/g, '_')
    .toLowerCase();
const known = new Map<string, boolean>();

/**
 * Tells whether a value under this name is secret, in any spelling of the name: `apiKey`, `X-Api-Key`,
 * `ACCESS_TOKEN`.
 */
export function isSecretName(name: string): boolean {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const words = wordsOf(name);
  const isSecret = secretNames.test(words) && !harmless.test(words);
  // The memory of names is limited, because foreign data may have any number of them.
  if (known.size < 10_000) known.set(name, isSecret);
  return isSecret;
}
/**
 * Tells what the name of a variable, header, URL parameter or option reveals about its value: `secret`, or
 * `key` when it may be a key, which must be checked because `AUTH=basic` and `SSL_KEY=/etc/x.pem` are none.
 */
function saidBy(name: string): 'secret' | 'key' | 'nothing' {
  const words = wordsOf(name.replace(/^-+/, ''));
  if (isSecretName(name) || ofLaunches.test(words)) return 'secret';
  return keyNames.test(words) && !words.endsWith('public_key') ? 'key' : 'nothing';
}

/**
 * Patterns of secrets that are recognizable by their form. The first group of a match stays readable. Texts
 * may have 8 MiB, so no pattern may scan a stretch twice (hence the lookbehind for a word boundary) or repeat
 * without a bound, because backtracking would overflow the stack.
 */
const forms = [
  // Plain English such as `basic authentication` must not match.
  /((?:bearer|basic)\s{1,8})(?![a-z]{1,40}(?![\w~+/=-]))[\w.~+/=-]{8,65536}/gi,
  /\b(sk-)[\w-]{16,4096}/g,
  /\b(gh[pousr]_|github_pat_)\w{20,4096}/g,
  /\b(xox[abprs]-)[\w-]{10,4096}/g,
  /\b(AKIA)[0-9A-Z]{16}/g,
  /(?<![\w-])(eyJ)[\w-]{8,4096}\.[\w-]{8,65536}\.[\w-]{0,4096}/g,
  /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,4096}(?=@)/g,
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,65536}/g,
];
/**
 * Matches an assignment inside a text, such as `password=…` or `"apiKey": "…"`. The complete name may start
 * further left and turn out to be harmless.
 */
const assigned =
  /((password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["'\\]{0,4}\s{0,8}([=:])\s{0,8}(["'\\]{0,4}))([^\s"'\\&;,<>(){}[\]]{6,65536})/gi;
const longestAssignedName = 60;
/**
 * Matches ordinary words after a secret name, as in `missing secret: API_TOKEN` and `token: expired`, which
 * are no secrets.
 */
const isSaid = /^([a-z_]+|[A-Z][a-z]+|[A-Z_\d]+)[.!?]?$/;
/**
 * Quick check: a text without any of these fragments contains no secret of a known form. Most texts contain
 * none.
 */
const beginnings =
  /bearer|basic|sk-|gh[pousr]_|github_pat_|xox|AKIA|eyJ|:\/\/|-----BEGIN|passw|passphrase|secret|token|key/i;

/** Returns the places in a text that have the form of a secret. */
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
    if (sign === ':' && quote === '' && isSaid.test(value)) continue;
    const [before] = /[\w-]*$/.exec(text.slice(Math.max(0, index - longestAssignedName), index)) ?? [''];
    if (isSecretName(before + word)) yield [index + start.length, index + all.length];
  }
}

type Texts = Readonly<Record<string, string>>;

/**
 * Matches values that are settings and no secrets, such as `true` in `USE_TOKEN=true` or `basic` in
 * `AUTH=basic`.
 */
const isSwitch =
  /^(|true|false|yes|no|on|off|null|none|0|1|auto|default|enabled|disabled|basic|bearer|local|localhost|test|testing|staging|development|production|debug|info|warn|warning|error)$/i;
/** Smallest length of a secret value, in characters: under an ordinary name, and under a name of a key. */
const [shortest, shortestKey] = [8, 4];
const longestName = 24;

const isNumber = /^(?!.*\d{16})[-+]?\d[\d .,:+-]{0,40}[a-z%]{0,5}$|^\d{4}-\d\d-\d\dT[\d:.+-]+Z?$/i;
const isPath = /^(~|\.{0,2}|[a-z]:|file:\/\/)[/\\]/i;
const isHost =
  /^(?=.*[.:])([a-z\d-]+\.)*(\d+|[a-z][a-z-]*\d{0,3})(:\d{1,5})?$|^\[?[\da-f]{0,4}(:[\da-f]{0,4}){2,7}\]?(:\d+)?$/;
const isMail = /^[\w.+-]{1,40}@([a-z\d-]+\.)+[a-z]{2,}$/i;
/**
 * Tells whether a text contains a random run: at least 16 characters with digits and letters of both cases.
 * Hexadecimal text is mostly a hash and no secret.
 */
const isChance = (text: string): boolean =>
  (text.match(/[\w+=]{16,}/g) ?? []).some((run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
/**
 * Tells whether a text is an ordinary name with at most three words and some numbers: `us-east-1`,
 * `text/html`, `gpt-4o-mini`.
 */
function isName(text: string): boolean {
  if (text.length > longestName) return false;
  const pieces = text.split(/[ _./:+-]+/).filter(Boolean);
  const words = pieces.filter((piece) => !/^\d{1,4}$/.test(piece));
  const mixed = words.filter((word) => !isWord(word));
  return words.length <= 3 && mixed.length <= 1 && mixed.every((word) => /^[a-z\d]{1,4}$/i.test(word));
}
const isWord = (text: string): boolean =>
  /^\p{L}+$/u.test(text) && (text.length <= 12 || /^.?(\p{Ll}+|\p{Lu}+)$/u.test(text));
/** Matches a placeholder that is filled in later, such as `$HOME` or `${TOKEN}`. */
const isPlaceholder = /^\$(\w+|\{[^{}]*\})$/;
const isPlain = (text: string): boolean =>
  isNumber.test(text) ||
  isPlaceholder.test(text) ||
  isMail.test(text) ||
  ((isPath.test(text) || isHost.test(text)) && !isChance(text));
const isCommon = (text: string): boolean => isPlain(text) || isName(text);
/** Longest text, in characters, that is examined as a list of names or paths. */
const longestList = 8_192;
const isListOf = (is: (text: string) => boolean, text: string): boolean =>
  text.length <= longestList &&
  text
    .split(/[,;]|:(?=[~./])/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .every(is);

/** Decides whether a value under this name is secret; the only such rule (docs/security.md). */
export function isSecretValue(name: string, value: string): boolean {
  if (isSwitch.test(value.trim())) return false;
  const said = saidBy(name);
  if (said === 'secret') return true;
  if (said === 'key') return value.length >= shortestKey && !isListOf(isPlain, value);
  return value.length >= shortest && !isListOf(isCommon, value);
}

/** Name used for values that are secret by their own form. */
const asSecret = 'secret';
type Part = readonly [name: string, value: string];
const scheme = /^(?:bearer|basic|token|bot|digest|negotiate|api-?key)\s+(\S+)$/i;

/** Largest nesting depth at which JSON is searched; no real setting is deeper. */
const deepest = 16;
function leavesOf(value: unknown, name: string, depth = 0): Part[] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, Array.isArray(value) ? name : key, depth + 1),
  );
}
function jsonIn(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
const url = /^[a-z][\w+.-]*:\/\/(?:([^/?#\s]*)@)?[^/?#\s]*([^?#\s]*)(?:\?([^#\s]*))?(?:#(\S*))?$/i;
const isAssigned = /^[\w .-]+[=:]/;
/** Returns the names and values of pairs such as `a=1&b=2`, `a=1; b=2`, or one header per line. */
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
    ['', user],
    [asSecret, password ?? ''],
    ...pairsIn(query, /&/),
    ...pairsIn(fragment, /&/),
    ...chanceIn(path),
  ];
}
/**
 * Returns the named parts of a composite value such as JSON, a URL or a list of pairs; undefined for a simple
 * value.
 */
function partsOf(value: string): Part[] | undefined {
  const json = jsonIn(value);
  if (typeof json === 'object') return leavesOf(json, '');
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
/** Secret parts of a header: after `Bearer` also the token alone, after `Basic` the password. */
function credentialsIn(value: string): string[] {
  const [, credential] = /^\w+ +(\S+)$/.exec(value) ?? [];
  const [, password] = /^[^:]*:(.+)$/s.exec(textInBase64(credential ?? value) ?? '') ?? [];
  return [credential, password].filter((text) => text !== undefined);
}
/** Largest nesting depth of values inside values that is examined. */
const mostInside = 4;
/** Returns the secrets in the value under this name: all of it, or only its secret parts. */
export function secretsUnder(name: string, value: string, depth = 0): string[] {
  const isSecret = isSecretValue(name, value);
  const parts = depth < mostInside ? partsOf(value) : undefined;
  const inside = (parts ?? []).flatMap(([each, part]) => secretsUnder(each, part, depth + 1));
  const isAll = saidBy(name) === 'secret' || !parts;
  const own = isSecret && isAll ? [value, decoded(value), ...credentialsIn(value)] : [];
  return [...new Set([...own, ...inside])].filter((text) => text.trim() !== '' && !isSwitch.test(text));
}

const option = /^--?[\w.-]+$/;
/** Matches options followed by a variable (`NAME=value`) or a header (`Name: value`). */
const ofVariables = /^(-e|--env|-H|--headers?)$/;
const assignment = /^((--?[\w.-]+)=|([A-Za-z_][\w.-]*)(?:=|:\s*))(.*)$/s;
/**
 * Returns the spans of secrets in an argument whose value begins at `start` and stands under this name.
 * `isVariable` marks an environment variable or header.
 */
function spansUnder(name: string, arg: string, start: number, depth = 0, isVariable = false): Span[] {
  const value = arg.slice(start);
  const inside = depth < mostInside ? assignment.exec(value) : null;
  const [, sign = '', flag, variable = '', rest = ''] = inside ?? [];
  const isNamed = isVariable || saidBy(name) !== 'nothing';
  if (inside && !isNamed && !url.test(value)) {
    const isOfVariables = ofVariables.test(name);
    // A shell command continues after the assignment, so only recognizable forms are searched in it.
    const isLine = flag === undefined && !isOfVariables && /\s/.test(rest);
    return isLine ? [] : spansUnder(flag ?? variable, arg, start + sign.length, depth + 1, isOfVariables);
  }
  if (!isNamed && partsOf(value) === undefined) return [];
  return secretsUnder(name, value).flatMap((secret): Span[] => {
    if (secret === value) return [[start, arg.length]];
    return [...spansOf(value, secret)].map(([from, to]): Span => [start + from, start + to]);
  });
}
/** Yields the place of the login (user and password) in each URL of a text. */
export function* loginsIn(text: string): Generator<Span> {
  for (const { 0: all, 1: start = '', index } of text.matchAll(/(:\/\/)[^/?#\s]{0,4096}(?=@)/g))
    yield [index + start.length, index + all.length];
}
/**
 * Returns the places of secrets in each command-line argument: values of options and variables with a secret
 * name, parts of URLs and JSON, and texts with the form of a secret.
 */
export const secretSpansIn = (args: readonly string[]): Span[][] =>
  args.map((arg, at) => {
    const before = args[at - 1] ?? '';
    const isValue = option.test(before) && !arg.startsWith('-');
    return [...spansUnder(isValue ? before : '', arg, 0), ...formsIn(arg)];
  });
/**
 * Returns the distinct secrets in named values (environment, headers, parameters) and in command-line
 * arguments.
 */
export function secretsIn(env: Texts, args: readonly string[] = []): string[] {
  const spans = secretSpansIn(args);
  const told = args.flatMap((arg, at) => (spans[at] ?? []).map(([from, to]) => arg.slice(from, to)));
  return [
    ...new Set([
      ...Object.entries(env).flatMap(([name, value]) => secretsUnder(name, value)),
      ...told.flatMap((text) => secretsUnder(asSecret, text)),
    ]),
  ];
}
