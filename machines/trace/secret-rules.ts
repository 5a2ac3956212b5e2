type Span = readonly [start: number, end: number];

/** In characters; from this length a secret is found inside words too. */
export const shortestSecret = 6;
const shortestStrange = 3;
/** Such a secret would be found by chance in ordinary text. */
const isWordOrNumber = /^(\p{L}+|\p{N}+)$/u;
const letters = /^\p{L}$/u;
const digits = /^\p{N}$/u;

const inUrl = (secret: string): string => {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Returns the secret as it is, because an unpaired surrogate cannot be encoded in a URL.
    return secret;
  }
};
/** Plain, in JSON, in a URL and in a form; empty for blank text. */
function spellingsOf(secret: string): readonly string[] {
  if (secret.trim() === '') return [];
  const url = inUrl(secret);
  const lower = url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = url.replaceAll('%20', '+');
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), url, lower, form])];
}

export const couldBeAnything = (secret: string): boolean =>
  secret.length < shortestStrange || (secret.length < shortestSecret && isWordOrNumber.test(secret));
const goesOn = (inside: string | undefined, outside: string | undefined): boolean =>
  inside !== undefined &&
  outside !== undefined &&
  ((letters.test(inside) && letters.test(outside)) || (digits.test(inside) && digits.test(outside)));

/** Two characters or less count only as the whole text; a short word only alone: not `dev` in `develop`. */
const isPartOfWord = (text: string, spelled: string, at: number): boolean =>
  spelled.length < shortestStrange
    ? spelled.length < text.trim().length
    : couldBeAnything(spelled) &&
      (goesOn(spelled[0], text[at - 1]) || goesOn(spelled.at(-1), text[at + spelled.length]));

function* spansOf(text: string, spelled: string): Generator<Span> {
  if (spelled === '') return;
  for (let at = text.indexOf(spelled); at >= 0;) {
    const isPart = isPartOfWord(text, spelled, at);
    const end = at + spelled.length;
    if (!isPart) yield [at, end];
    at = text.indexOf(spelled, isPart ? at + 1 : end);
  }
}
export function merged(spans: readonly Span[]): readonly Span[] {
  const whole: [number, number][] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else whole.push([start, end]);
  }
  return whole;
}
export function replacedIn(text: string, spans: readonly Span[], by: (secret: string) => string): string {
  let shown = '';
  let from = 0;
  for (const [start, end] of merged(spans)) {
    shown += text.slice(from, start) + by(text.slice(start, end));
    from = end;
  }
  return shown + text.slice(from);
}

const base64Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valueOf = new Map(`${base64Letters}-_`.split('').map((letter, at) => [letter, at < 64 ? at : at - 2]));

/** Empty for a text with an unpaired surrogate. */
function bytesOf(text: string): readonly number[] {
  try {
    return [...encodeURIComponent(text).matchAll(/%(..)|[^%]/g)].map(([all, code]) =>
      code === undefined ? all.charCodeAt(0) : Number.parseInt(code, 16),
    );
  } catch {
    return [];
  }
}
/** Base64 or base64url; undefined when the bytes are no printable UTF-8 text. */
function textInBase64(base64: string): string | undefined {
  let [code, held, bits] = ['', 0, 0];
  for (const letter of base64.replace(/={1,2}$/, '')) {
    const value = valueOf.get(letter);
    if (value === undefined) return undefined;
    held = ((held << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    code += `%${((held >> bits) & 0xff).toString(16).padStart(2, '0')}`;
  }
  try {
    const text = decodeURIComponent(code);
    // Text that only looks like base64 is mostly invalid UTF-8 or contains control characters.
    return text === '' || /(?![\t\r\n])\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
/** One for each position in a group of three bytes, each also in base64url. */
function coresInBase64(text: string): readonly string[] {
  const bytes = bytesOf(text);
  const cores = [0, 1, 2].map((before) => {
    const all = [...Array.from({ length: before }, () => 0), ...bytes];
    let core = '';
    // Leaves out the letters at both ends, because they also depend on the bytes before and after the text.
    for (let at = Math.ceil((before * 8) / 6); (at + 1) * 6 <= all.length * 8; at++) {
      const bit = at * 6;
      const pair = ((all[bit >> 3] ?? 0) << 8) | (all[(bit >> 3) + 1] ?? 0);
      core += base64Letters[(pair >> (10 - (bit & 7))) & 63];
    }
    return core;
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}

/** Searching for all of a long secret could take quadratic time. */
const probeLength = 64;
const gram = 4;
/** In characters; shorter ones would match too many texts. */
const shortestInBase64 = 3;
const longestInBase64 = 256;
/** Number of base64 letters from which a match is no coincidence, whatever surrounds it. */
const surelyBase64 = 8;
const longestBase64 = 4096;
const isBase64 = /[\w+/-]/;

interface Pattern {
  readonly secret: string;
  readonly text: string;
  readonly probe: string;
  /** Part of the base64 of a text that contains the secret. */
  readonly isCore: boolean;
  readonly mayBeCut: boolean;
}
interface Compiled {
  /** Finds where a pattern may begin, by its first characters. */
  readonly begins: RegExp;
  readonly byBegin: ReadonlyMap<string, readonly Pattern[]>;
  readonly short: readonly Pattern[];
  /** Joined by a separator that occurs in no text, for finding a text that begins with the end of a secret. */
  readonly joined: string;
}
const none: readonly Span[] = [];
const nobody = (_secret: string): boolean => false;
const between = '\uFFFF\0';
export const inPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

const patternsOf = (secret: string): Pattern[] => {
  const patternOf = (text: string, isCore: boolean): Pattern => ({
    secret,
    text,
    probe: text.slice(0, probeLength),
    isCore,
    mayBeCut: !isCore && text === secret && text.length > shortestSecret,
  });
  const cores = secret.length < shortestInBase64 ? [] : coresInBase64(secret.slice(0, longestInBase64));
  return [
    ...spellingsOf(secret).map((text) => patternOf(text, false)),
    ...cores.filter((core) => core !== '').map((core) => patternOf(core, true)),
  ];
};
function compiled(secrets: Iterable<string>): Compiled {
  const byBegin = new Map<string, Pattern[]>();
  const short: Pattern[] = [];
  for (const secret of secrets)
    for (const pattern of patternsOf(secret)) {
      const begin = pattern.text.slice(0, gram);
      if (begin.length < gram) short.push(pattern);
      else byBegin.set(begin, [...(byBegin.get(begin) ?? []), pattern]);
    }
  const begins = new RegExp([...byBegin.keys()].map(inPattern).join('|') || '(?!)', 'g');
  return { begins, byBegin, short, joined: [...secrets, ''].join(between) };
}
function nextAt(text: string, from: number, begins: RegExp): number {
  begins.lastIndex = from;
  return begins.exec(text)?.index ?? -1;
}
function pieceAround(text: string, [from, to]: Span): Span {
  let [start, end] = [from, to];
  while (start > 0 && from - start < longestBase64 && isBase64.test(text[start - 1] ?? '')) start -= 1;
  while (end < text.length && end - to < longestBase64 && isBase64.test(text[end] ?? '')) end += 1;
  while (end < text.length && end - to < longestBase64 + 2 && text[end] === '=') end += 1;
  return [start, end];
}

/** The search continues at `until`; without `span` nothing is hidden. */
interface Hit {
  readonly until: number;
  readonly span?: Span;
}
const hitOf = (span: Span): Hit => ({ until: span[1], span });

function coreAt(text: string, at: number, { text: core, secret }: Pattern): Hit {
  const piece = pieceAround(text, [at, at + core.length]);
  const inside = textInBase64(text.slice(...piece));
  const isThere =
    core.length >= surelyBase64 ||
    (inside !== undefined && [...spansOf(inside, secret.slice(0, longestInBase64))].length > 0);
  return isThere ? hitOf(piece) : { until: piece[1] };
}
/** `isCut` allows the text to end before the pattern does. */
function hitAt(text: string, at: number, pattern: Pattern, isCut: boolean): Hit | undefined {
  const { text: spelled, probe, isCore, mayBeCut } = pattern;
  if (text.startsWith(spelled, at)) {
    if (isCore) return coreAt(text, at, pattern);
    return isPartOfWord(text, spelled, at) ? undefined : hitOf([at, at + spelled.length]);
  }
  if (spelled !== probe && text.startsWith(probe, at)) return hitOf([at, at + probe.length]);
  const left = text.length - at;
  const isBegun = isCut && mayBeCut && left >= shortestSecret && left < spelled.length;
  return isBegun && spelled.startsWith(text.slice(at)) ? hitOf([at, text.length]) : undefined;
}
function* endsIn(text: string, joined: string): Generator<Span> {
  if (text.length < shortestSecret) return;
  const first = text.slice(0, shortestSecret);
  let over = 0;
  for (let at = joined.indexOf(first); at >= 0; at = joined.indexOf(first, at + 1)) {
    if (at >= over) over = joined.indexOf(between, at);
    if (text.startsWith(joined.slice(at, over))) yield [0, over - at];
  }
}

/** One pass searches for all secrets, plain or encoded, so the time hardly depends on their number. */
export class SecretIndex {
  readonly #secrets: Set<string>;
  #compiled: Compiled | undefined;
  revision = 0;

  constructor(secrets: Iterable<string> = []) {
    this.#secrets = new Set(secrets);
  }
  get size(): number {
    return this.#secrets.size;
  }
  has(secret: string): boolean {
    return this.#secrets.has(secret);
  }
  add(secret: string): void {
    if (this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    this.#changed();
  }
  /** By default the one that was added first. */
  drop(secret: string | undefined = this.#secrets.values().next().value): void {
    if (secret !== undefined && this.#secrets.delete(secret)) this.#changed();
  }
  #changed(): void {
    this.#compiled = undefined;
    this.revision += 1;
  }

  /** `isShown`: the secret may stay visible; `isCut`: the text may begin or end inside a secret. */
  spansIn(text: string, isShown = nobody, isCut = false): readonly Span[] {
    if (this.#secrets.size === 0) return none;
    const { begins, byBegin, short, joined } = (this.#compiled ??= compiled(this.#secrets));
    // Returns early when no secret can be in the text, which holds for almost all texts.
    if (short.length === 0 && !isCut && nextAt(text, 0, begins) < 0) return none;
    const spans: Span[] = [];
    let found: Map<Pattern, number> | undefined;
    const look = (at: number, pattern: Pattern): void => {
      if (at < (found?.get(pattern) ?? 0) || isShown(pattern.secret)) return;
      const hit = hitAt(text, at, pattern, isCut);
      if (!hit) return;
      if (hit.span) spans.push(hit.span);
      (found ??= new Map()).set(pattern, hit.until);
    };
    for (const pattern of short)
      for (let at = text.indexOf(pattern.text); at >= 0; at = text.indexOf(pattern.text, at + 1))
        look(at, pattern);
    for (let at = nextAt(text, 0, begins); at >= 0; at = nextAt(text, at + 1, begins))
      for (const pattern of byBegin.get(text.slice(at, at + gram)) ?? []) look(at, pattern);
    if (isCut) spans.push(...endsIn(text, joined));
    return spans;
  }
}

const secretNames =
  /(password|passwd|passphrase|passcode|secret|credential|cookie|authorization|bearer|mnemonic|(api|access|auth|private|secret|signing|encryption|master|account|ssh|license)_?key)s?(_?(\d+|value|confirm|confirmation|plain|raw))?$|token(_?(\d+|value|raw))?$|[a-z0-9]_(pass|pwd)$|_auth$|(^|_)(pw|pins?|t?otps?|cv[vc]2?|seeds?|login|ssn|iban)(_?\d+|_(value|code|phrase|number))?$|sess(ion)?_?id$|(密码|口令|密钥|令牌)$/;
const harmless = /(progress|page|next)_?token$/;
/** Secret only for variables, headers, parameters and options; in a record they mean something else. */
const ofLaunches = /(^|_)(pass|pat|jwt)\d*$/;
const keyNames =
  /(^|_)(keys?|auth|sig|signature|code|k|dsn|salt|webhook)\d*$|(^|_)(secret|token|password|credentials?|webhook)_/;

const longestName = 200;
const wordsOf = (name: string): string =>
  name
    .slice(-longestName)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[-.\s]/g, '_')
    .toLowerCase();
const known = new Map<string, boolean>();

/** In any spelling of the name: `apiKey`, `X-Api-Key`, `ACCESS_TOKEN`. */
export function isSecretName(name: string): boolean {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const words = wordsOf(name);
  const isSecret = secretNames.test(words) && !harmless.test(words);
  // Limits the memory of names, because foreign data may have any number of them.
  if (known.size < 10_000 && name.length <= longestName) known.set(name, isSecret);
  return isSecret;
}
const publicNames =
  /(^|_)(env|environment|lang|language|locale|lc_[a-z]+|tz|time_?zone|region|zone|model|version|mode|format|level|type|driver|engine|dialect|transport|protocol|encoding|charset|user|username|logname|name|db|dbname|database|term|shell|editor|pager|display|xdg_[a-z_]+|user_agent|accept(_[a-z]+)?)$/;
/** `key`: it may be a key, also in an argument, where most names say nothing. */
function saidBy(name: string): 'secret' | 'key' | 'public' | 'nothing' {
  const words = wordsOf(name.replace(/^-+/, ''));
  if (isSecretName(name) || ofLaunches.test(words)) return 'secret';
  if (keyNames.test(words) && !words.endsWith('public_key')) return 'key';
  return publicNames.test(words) ? 'public' : 'nothing';
}

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
/** Of JSON, a URL or a list of pairs; undefined for a simple value. */
function partsOf(value: string): Part[] | undefined {
  const json = jsonIn(value);
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
/** They take the name of a package after `-p`. */
const runner = /(^|[/\\])(npx|npm|pnpm|pnpx|yarn|bunx|uvx?)(\.cmd)?$/;
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
    const isPassword = from >= 0 && !runner.test(command) && isSecretValue('', arg.slice(from));
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
