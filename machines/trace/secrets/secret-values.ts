import { textInBase64 } from './base64.ts';
import { formsIn } from './secret-forms.ts';
import { saidBy } from './secret-names.ts';
import { spansOf, type Span } from './secret-search.ts';

type Texts = Readonly<Record<string, string>>;

/** `USE_TOKEN=true` says whether, and not which; `AUTH=basic` says how. */
const isSwitch =
  /^(|true|false|yes|no|on|off|null|none|0|1|auto|default|enabled|disabled|basic|bearer|local|localhost|test|testing|staging|development|production|debug|info|warn|warning|error)$/i;
/** From so many characters on a value under any other name counts; under that of a key. */
const [shortest, shortestKey] = [8, 4];
const longestName = 24;

const isNumber = /^(?!.*\d{16})[-+]?\d[\d .,:+-]{0,40}[a-z%]{0,5}$|^\d{4}-\d\d-\d\dT[\d:.+-]+Z?$/i;
const isPath = /^(~|\.{0,2}|[a-z]:|file:\/\/)[/\\]/i;
const isHost =
  /^(?=.*[.:])([a-z\d-]+\.)*(\d+|[a-z][a-z-]*\d{0,3})(:\d{1,5})?$|^\[?[\da-f]{0,4}(:[\da-f]{0,4}){2,7}\]?(:\d+)?$/;
const isMail = /^[\w.+-]{1,40}@([a-z\d-]+\.)+[a-z]{2,}$/i;
/** Longer than words are, of letters in both cases and digits. What is hexadecimal is mostly a hash, and no secret. */
const isChance = (text: string): boolean =>
  (text.match(/[\w+=]{16,}/g) ?? []).some((run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
/** `us-east-1`, `text/html`, `gpt-4o-mini`: at most three words, with numbers. */
function isName(text: string): boolean {
  if (text.length > longestName) return false;
  const pieces = text.split(/[ _./:+-]+/).filter(Boolean);
  const words = pieces.filter((piece) => !/^\d{1,4}$/.test(piece));
  const mixed = words.filter((word) => !isWord(word));
  return words.length <= 3 && mixed.length <= 1 && mixed.every((word) => /^[a-z\d]{1,4}$/i.test(word));
}
const isWord = (text: string): boolean =>
  /^\p{L}+$/u.test(text) && (text.length <= 12 || /^.?(\p{Ll}+|\p{Lu}+)$/u.test(text));
/** What somebody else will fill in. */
const isPlaceholder = /^\$(\w+|\{[^{}]*\})$/;
const isPlain = (text: string): boolean =>
  isNumber.test(text) ||
  isPlaceholder.test(text) ||
  isMail.test(text) ||
  ((isPath.test(text) || isHost.test(text)) && !isChance(text));
const isCommon = (text: string): boolean => isPlain(text) || isName(text);
/** Nobody writes a longer list of names or paths. */
const longestList = 8_192;
const isListOf = (is: (text: string) => boolean, text: string): boolean =>
  text.length <= longestList &&
  text
    .split(/[,;]|:(?=[~./])/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .every(is);

/** The one rule for which values count as secret (docs/security.md). */
export function isSecretValue(name: string, value: string): boolean {
  if (isSwitch.test(value.trim())) return false;
  const said = saidBy(name);
  if (said === 'secret') return true;
  if (said === 'key') return value.length >= shortestKey && !isListOf(isPlain, value);
  return value.length >= shortest && !isListOf(isCommon, value);
}

/** The name that a value of which the text itself says that it is a secret stands under. */
const asSecret = 'secret';
type Part = readonly [name: string, value: string];
const scheme = /^(?:bearer|basic|token|bot|digest|negotiate|api-?key)\s+(\S+)$/i;

/** What is nested deeper is no setting of anybody. */
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
/** `a=1&b=2`, `a=1; b=2`, headers by line. */
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
/** What a value is put together of; undefined: it is one. */
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
/** A text can hold texts that hold texts. */
const mostInside = 4;
/** What of the value under this name is secret: all of it, or the parts that are. */
export function secretsUnder(name: string, value: string, depth = 0): string[] {
  const isSecret = isSecretValue(name, value);
  const parts = depth < mostInside ? partsOf(value) : undefined;
  const inside = (parts ?? []).flatMap(([each, part]) => secretsUnder(each, part, depth + 1));
  const isAll = saidBy(name) === 'secret' || !parts;
  const own = isSecret && isAll ? [value, decoded(value), ...credentialsIn(value)] : [];
  return [...new Set([...own, ...inside])].filter((text) => text.trim() !== '' && !isSwitch.test(text));
}

const option = /^--?[\w.-]+$/;
/** What follows is `NAME=value`, or `Name: value`. */
const ofVariables = /^(-e|--env|-H|--headers?)$/;
const assignment = /^((--?[\w.-]+)=|([A-Za-z_][\w.-]*)(?:=|:\s*))(.*)$/s;
/** From `start` on the argument is what stands under this name. `isVariable`: it is one, or a header. */
function spansUnder(name: string, arg: string, start: number, depth = 0, isVariable = false): Span[] {
  const value = arg.slice(start);
  const inside = depth < mostInside ? assignment.exec(value) : null;
  const [, sign = '', flag, variable = '', rest = ''] = inside ?? [];
  const isNamed = isVariable || saidBy(name) !== 'nothing';
  if (inside && !isNamed && !url.test(value)) {
    const isOfVariables = ofVariables.test(name);
    // A line for a shell has more behind it: there the form tells.
    const isLine = flag === undefined && !isOfVariables && /\s/.test(rest);
    return isLine ? [] : spansUnder(flag ?? variable, arg, start + sign.length, depth + 1, isOfVariables);
  }
  if (!isNamed && partsOf(value) === undefined) return [];
  return secretsUnder(name, value).flatMap((secret): Span[] => {
    if (secret === value) return [[start, arg.length]];
    return [...spansOf(value, secret)].map(([from, to]): Span => [start + from, start + to]);
  });
}
/** Login in a URL: the user, and the password. */
export function* loginsIn(text: string): Generator<Span> {
  for (const { 0: all, 1: start = '', index } of text.matchAll(/(:\/\/)[^/?#\s]{0,4096}(?=@)/g))
    yield [index + start.length, index + all.length];
}
/**
 * Where secrets stand in arguments: behind and in options and variables with such a name, in URLs and JSON, and what has
 * the form of one.
 */
export const secretSpansIn = (args: readonly string[]): Span[][] =>
  args.map((arg, at) => {
    const before = args[at - 1] ?? '';
    const isValue = option.test(before) && !arg.startsWith('-');
    return [...spansUnder(isValue ? before : '', arg, 0), ...formsIn(arg)];
  });
/** The secrets among these values: of environments, headers, parameters, and of arguments. Each once. */
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
