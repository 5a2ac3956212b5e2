export interface Block {
  readonly language: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
const fence = /^```([\w ]*)\n([^]*?)^```$/gm;

export const blocksOf = (page: string): Block[] =>
  [...page.matchAll(fence)].map(({ 0: all, 1: language = '', 2: text = '', index }) => {
    const end = index + all.length - '```'.length;
    return { language, text, start: end - text.length, end };
  });

export function sectionOf(page: string, heading: string): string {
  const rank = heading.split(' ')[0] ?? '';
  const start = page.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`no heading: ${heading}`);
  const end = page.indexOf(`\n${rank} `, start + 1 + heading.length);
  return page.slice(start, end < 0 ? undefined : end);
}
export interface Example {
  readonly commands: string;
  readonly prints: Block | undefined;
}
export const examplesOf = (page: string): Example[] =>
  blocksOf(page).flatMap(({ language, text }, at, all) => {
    const next = all[at + 1];
    return language === 'sh'
      ? [{ commands: text, prints: next?.language === 'text' ? next : undefined }]
      : [];
  });

export function filled(page: string, texts: ReadonlyMap<Block, string>): string {
  let now = page;
  for (const [{ start, end }, text] of [...texts].toSorted(([a], [b]) => b.start - a.start))
    now = now.slice(0, start) + text + now.slice(end);
  return now;
}

const mistake = /\berror\b|is not (a function|defined)|Cannot read properties/i;
export const mistakesIn = (output: string, shown: readonly string[] = []): string[] =>
  output.split('\n').filter((line) => mistake.test(line) && !shown.some((text) => line.includes(text)));
