const width = 56;
/** Lines of at most so many characters, broken at spaces where there are some. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let rest = text.replaceAll('\n', ' ');
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
/** Two texts beside each other, under their headings. */
export function sideBySide(left: readonly [heading: string, text: string], right: typeof left): string[] {
  const [before, after] = [left, right].map(([heading, text]) => [heading, ...wrapped(text)]) as [
    string[],
    string[],
  ];
  const widest = Math.max(...before.map((line) => line.length));
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) =>
    `${(before[at] ?? '').padEnd(widest)} | ${after[at] ?? ''}`.trimEnd(),
  );
}
