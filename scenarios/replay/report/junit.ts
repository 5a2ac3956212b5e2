const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
/** XML 1.0 cannot represent most control characters, not even escaped. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>"']/g, (c) => entities[c] as string)
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '�');

export interface JunitCase {
  readonly name: string;
  readonly seconds: number;
  readonly failure?: { readonly kind: string; readonly text: string };
}
export function junitXml(suite: string, cases: readonly JunitCase[]): string {
  const failed = cases.filter((each) => each.failure).length;
  const seconds = cases.reduce((sum, each) => sum + each.seconds, 0).toFixed(3);
  const body = cases.map(({ name, seconds: time, failure }) => {
    const [message = ''] = failure?.text.split('\n') ?? [];
    const inner = failure
      ? `<failure type="${escaped(failure.kind)}" message="${escaped(message)}">${escaped(failure.text)}</failure>`
      : '';
    return `    <testcase classname="${escaped(suite)}" name="${escaped(name)}" time="${time.toFixed(3)}">${inner}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${cases.length}" failures="${failed}" time="${seconds}">`,
    `  <testsuite name="${escaped(suite)}" tests="${cases.length}" failures="${failed}" errors="0" time="${seconds}">`,
    ...body,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

interface Annotated {
  readonly file: string;
  readonly title: string;
  readonly text: string;
}
const inCommand = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
/** GitHub shows it at the file in a pull request. */
export const annotation = ({ file, title, text }: Annotated): string =>
  `::error file=${inCommand(file).replaceAll(':', '%3A').replaceAll(',', '%2C')},title=${title}::${inCommand(text)}`;
