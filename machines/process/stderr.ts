export interface Explained {
  /** At most 400 characters; empty when stderr explains nothing. */
  readonly headline: string;
  /** At most ten lines and 2,000 characters. */
  readonly lines: readonly string[];
}

const mostLines = 10;
const lineLength = 400;
const textLength = 2_000;
/** With more unrelated lines after a stack trace the program survived the error. */
const mostAfter = 10;

// oxlint-disable-next-line no-control-regex
const styles = /\u001b\[[\d;?]*[A-Za-z]/g;
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

const noise = [
  /^\s*$/,
  /^Node\.js v\d/,
  /^\(Use `node --/,
  /^npm (warn|WARN|notice)\b/,
  /^npm (error|ERR!)\s*\w*$/,
  /^npm (error|ERR!)\s+(A complete log of this run|[/\\~].*\.log$|[A-Z]:\\.*\.log$)/,
  /^\s*[\^~]+\s*$/,
  /^note: (run with|Some details)/,
  /^\[notice\] /,
  /^exit status \d+$/,
  /^goroutine \d+ \[/,
  /^\s*\d+: 0x[\da-f]+/,
  /^(<-{3}|-{5}) /,
];
const isNoise = (line: string): boolean => noise.some((one) => one.test(line));

interface Block extends Explained {
  readonly end: number;
}
type Find = (lines: readonly string[]) => Block | undefined;
const lastIndex = (lines: readonly string[], is: RegExp, before = lines.length): number => {
  for (let at = before - 1; at >= 0; at -= 1) if (is.test(lines[at] ?? '')) return at;
  return -1;
};
const runEnd = (lines: readonly string[], from: number, fits: (line: string) => boolean): number => {
  let at = from;
  while (at < lines.length && fits(lines[at] ?? '')) at += 1;
  return at;
};
const trimmed = (lines: readonly string[]): string[] => lines.map((line) => line.trim());

// ── Node and other engines with `at` frames ────────────────────────────────────────────────────────────
const frame = /^\s+at \S/;
/** Pattern of the `path:line` header that Node prints two lines above the `^` marker. */
const place = /^(?!\s)\S.*:\d+$/;
const isPlaced = (text: string): boolean => /:\d+(:\d+)?\)?$/.test(text);
const isInternal = (text: string): boolean => /(^|[\s(])(node:|internal\/)/.test(text);
const isForeign = (text: string): boolean => /node_modules[/\\]/.test(text);

/** Finds the first stack frame in the server's own code, or in a package when there is no other. */
function ownPlace(frames: readonly string[], thrownAt: string | undefined): string | undefined {
  const placed = frames.filter((text) => isPlaced(text) && !isInternal(text));
  const shown = thrownAt !== undefined && !isInternal(thrownAt) ? `at ${thrownAt}` : undefined;
  const all = [...placed, ...(shown === undefined ? [] : [shown])];
  return all.find((text) => !isForeign(text)) ?? all[0];
}
/** The line just above the trace when none names an error. */
function errorBefore(lines: readonly string[], frames: number): number {
  for (let at = frames - 1; at >= 0 && at >= frames - 6; at -= 1) {
    if (/\b\w*(Error|Exception|Rejection|panic)\b/.test(lines[at] ?? '')) return at;
    if (frame.test(lines[at] ?? '')) break;
  }
  return frames - 1;
}
/** `mark`: index of the line with the `^` marker; -1 when there is none. */
function traceFrom(lines: readonly string[], mark: number, first: number, footer: number): Block {
  const skipped = runEnd(lines, mark + 1, (line) => line.trim() === '');
  const start = mark < 0 ? errorBefore(lines, first) : skipped;
  const errorEnd = runEnd(
    lines,
    start,
    (line) => !frame.test(line) && !/^(\(Use|Node\.js v|\} *$)/.test(line),
  );
  const error = lines.slice(start, errorEnd).filter((line) => line.trim() !== '');
  const margin = /^\s*/.exec(lines[errorEnd] ?? '')?.[0] ?? '';
  const framesEnd = runEnd(lines, errorEnd, (line) => frame.test(line) || /^\s+\.\.\. \d+ /.test(line));
  const own = trimmed(lines.slice(errorEnd, framesEnd).filter((line) => line.startsWith(margin)));
  const end =
    footer >= 0 ? footer : runEnd(lines, framesEnd, (line) => /^(\s|\}|Caused by:|Emitted ')/.test(line)) - 1;
  const header =
    mark < 0 ? undefined : lines.slice(Math.max(0, mark - 3), mark).find((line) => place.test(line));
  const where = ownPlace(
    own.map((line) => line.replace(/ \{$/, '')),
    header,
  );
  const causes = trimmed(
    lines.slice(framesEnd, end + 1).filter((line) => /^\s*(\[cause\]|Caused by): /.test(line)),
  );
  const said = error.map((line) => line.replace(/ [{[]$/, ''));
  const at = where === undefined ? [] : [where];
  return {
    headline: [(said[0] ?? '').trim().replace(/:$/, ''), ...at].join(', '),
    lines: [...said.slice(0, mostLines - 2), ...at, ...causes],
    end,
  };
}
/** Node prints the place of an uncaught error first and the Node version last. */
const uncaught: Find = (lines) => {
  const footer = lastIndex(lines, /^Node\.js v\d/);
  const mark = footer < 0 ? -1 : lastIndex(lines, /^\s*\^+\s*$/, footer);
  return mark < 0 ? undefined : traceFrom(lines, mark, mark, footer);
};
const printed: Find = (lines) => {
  const last = lastIndex(lines, frame);
  if (last < 0) return undefined;
  let first = last;
  while (first > 0 && frame.test(lines[first - 1] ?? '')) first -= 1;
  return first === 0 ? undefined : traceFrom(lines, -1, first, -1);
};

// ── Python ─────────────────────────────────────────────────────────────────────────────────────────────
/** Pattern of the tree branches with which Python draws exception groups. */
const branch = /^[ ]*[|+][ |+-]*/;
const python: Find = (all) => {
  const last = lastIndex(all, /Traceback \(most recent call last\):\s*$/);
  if (last < 0) return undefined;
  const isTree = branch.test(all[last] ?? '');
  const lines = isTree ? all.map((line) => line.replace(/^[ ]*[|+]-?[+-]* ?(\| )?/, '')) : all;
  const at = runEnd(lines, last + 1, (line) => line.trim() === '' || /^\s/.test(line));
  const said = lines[at];
  if (said === undefined) return undefined;
  const isMore = (line: string): boolean => line.trim() !== '' && !/^[-+| ]+$/.test(line);
  const end = Math.min(runEnd(lines, at, isMore), at + mostLines - 1);
  const places = trimmed(lines.slice(last + 1, at).filter((line) => /^\s+File "/.test(line)));
  const own = places.findLast(
    (line) => !/[/\\](site-packages|dist-packages|lib[/\\]python[\d.]+)[/\\]|"<frozen/.test(line),
  );
  return {
    headline: said.trim(),
    lines: [...lines.slice(at, end), ...(own === undefined ? [] : [own])],
    end: runEnd(all, end, (line) => /^[-+| ]*$/.test(line)) - 1,
  };
};

// ── npm ────────────────────────────────────────────────────────────────────────────────────────────────
const npm: Find = (lines) => {
  const end = lastIndex(lines, /^npm (error|ERR!)/);
  if (end < 0) return undefined;
  const said = lines.slice(0, end + 1).filter((line) => /^npm (error|ERR!)/.test(line) && !isNoise(line));
  const isFact = (line: string): boolean => /^npm \S+ (code|errno|syscall|path|command|dest)\b/.test(line);
  const headline = said.find((line) => !isFact(line)) ?? said[0];
  return headline === undefined ? undefined : { headline, lines: said, end };
};

// ── other programs ─────────────────────────────────────────────────────────────────────────────────────
/** Begins with an error word after an optional time, level or bracket, or is marked by uv with an arrow. */
const complaint = /^(?:[^A-Za-z]|[TZ](?=[\d:[\]() ]))*(?:error|fatal|panic|critical)\b|^\s*╰─▶ /i;
const lastWords = (lines: readonly string[]): Explained => {
  const said = lines.filter((line) => !isNoise(line)).slice(-mostLines);
  return {
    headline: (said.findLast((line) => complaint.test(line)) ?? said.at(-1) ?? '').trim(),
    lines: said,
  };
};

const isRecent = (lines: readonly string[], { end }: Block): boolean =>
  lines.slice(end + 1).filter((line) => !isNoise(line)).length <= mostAfter;
function bounded({ headline, lines }: Explained): Explained {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, mostLines).map((one) => cut(one, lineLength))) {
    length += line.length + 1;
    if (length > textLength) break;
    shown.push(line);
  }
  return { headline: cut(headline, lineLength), lines: shown };
}

/** Rarely its last line. A crash of the server itself takes precedence over npm's report of it. */
export function explained(stderr: string): Explained {
  const lines = stderr
    .split(/\r\n|[\r\n]/)
    .map((line) => cut(line.replace(styles, '').trimEnd(), textLength));
  const crashes = [uncaught, printed, python]
    .map((find) => find(lines))
    .filter((found) => found !== undefined)
    .filter((found) => isRecent(lines, found))
    .toSorted((a, b) => b.end - a.end);
  const install = npm(lines);
  const found = crashes[0] ?? (install && isRecent(lines, install) ? install : undefined);
  return bounded(found && found.headline !== '' ? found : lastWords(lines));
}
