export interface Explained {
  /** At most 400 characters; empty when stderr explains nothing. */
  readonly headline: string;
  /** At most ten lines and 2,000 characters. */
  readonly lines: readonly string[];
}

const mostLines = 10;
const lineLength = 400;
const textLength = 2_000;
/** With more lines after an error the program survived it. */
const mostAfter = 30;

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
  /^[-+|\s]+$/,
  /^\s*[\]})]+[,;]?$/,
  /^(\s+at .*)?\b(node:\w|internal\/)/,
];
const isNoise = (line: string): boolean => noise.some((one) => one.test(line));

/** What an indented line tells belongs to the line above it, except in the drawings of Python and uv. */
const isDetail = (line: string): boolean => /^\s+[^\s|╰]/.test(line);
/** Names an error or an exception, as most languages do. */
const crash = /^(?!npm )(?=\S|\s*\|).*?\b\w*(?:Error|Exception|Rejection)(?: \[\w+\])?(?:[:\]]|$)/;
const npm = /^npm (?:error|ERR!) (?!(?:code|errno|syscall|path|command|dest)\b)/;
/** Begins with an error word after an optional time, level or bracket, or is marked by uv with an arrow. */
const complaint = /^(?:[^A-Za-z]|[TZ](?=[\d:[\]() ]))*(?:error|fatal|panic|critical)\b|^\s*╰─▶ /i;
/** Without the branches of a group of exceptions, and without the brackets that Node puts around an error. */
const worded = (line: string): string =>
  line
    .replace(/^\s*[|+][ |+-]*/, '')
    .replace(/ [{[]$/, '')
    .replace(/^\[([^\]]*)\]$/, '$1')
    .trim();

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
    .map((line) => cut(line.replace(styles, '').trimEnd(), textLength))
    .filter((line) => !isNoise(line));
  const late = lines.filter((line) => !isDetail(line)).slice(-mostAfter - 1);
  const found =
    late.findLast((line) => crash.test(line)) ??
    // Begins with its reason, and goes on for long.
    (late.some((line) => npm.test(line)) ? lines.find((line) => npm.test(line)) : undefined) ??
    late.findLast((line) => complaint.test(line)) ??
    late.at(-1) ??
    '';
  const from = Math.max(0, Math.min(lines.lastIndexOf(found), lines.length - mostLines));
  return bounded({ headline: worded(found), lines: lines.slice(from) });
}
