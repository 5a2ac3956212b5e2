/** One static site of the pages and of the public API, by TypeDoc: `npm run docs`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { installed } from '../fixtures/installed.ts';
import { root } from '../fixtures/checkout.ts';

const target = join(root, 'artifacts/site');
const scratch = mkdtempSync(join(tmpdir(), 'a2c-site-'));
const [copy, entries] = [join(scratch, 'pages'), join(scratch, 'entries')];
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Chapter {
  readonly title: string;
  readonly pages: ReadonlyMap<string, string>;
}
const chaptersOf = (index: string): Chapter[] =>
  index
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const rows = [...part.matchAll(/^\| \[([^\]]+)\]\(([^)#]+\.md)\)/gm)];
      const pages = rows.map(([, title = '', path = '']) => [posix.join('docs', path), title] as const);
      return { title: part.slice(0, part.indexOf('\n')), pages: new Map(pages) };
    });
/** Without words of code in headings, and without languages that TypeDoc does not color. */
const asShown = (text: string): string =>
  text.replaceAll(/^#+ .*$/gm, (heading) => heading.replaceAll('`', '')).replaceAll(/^```vrl$/gm, '```');
const headingOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? '';
const withTop = (top: object, text: string): string =>
  `---\n${Object.entries(top)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join('\n')}\n---\n\n${text}`;

function writePages(): string[] {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  return chaptersOf(read('docs/README.md')).map(({ title, pages }, n) => {
    for (const page of pages.keys()) {
      const text = asShown(read(page));
      // The first page of the site has no title of its own.
      if (page !== 'README.md') writeFileSync(join(copy, page), withTop({ title: headingOf(text) }, text));
    }
    const rows = [...pages].map(([page, name]) => `- [${name}](${page})`);
    const children = [...pages.keys()].filter((page) => page !== 'README.md').map((page) => `./${page}`);
    const file = join(copy, `chapter-${n}.md`);
    writeFileSync(file, withTop({ title, children }, `# ${title}\n\n${rows.join('\n')}\n`));
    return file;
  });
}

rmSync(target, { recursive: true, force: true });
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const { version, exports } = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
/** The site then shows each entry by the name that programs import. */
const entryPoints = Object.entries(exports).flatMap(([path, entry]) => {
  if (typeof entry === 'string') return [];
  const file = join(entries, `${posix.join('a2c-actors', path)}.ts`);
  mkdirSync(dirname(file), { recursive: true });
  const from = join(root, entry.types.replace(/\.d\.ts$/, '.js'));
  writeFileSync(file, `export * from ${JSON.stringify(from)};\n`);
  return file;
});
const projectDocuments = writePages();
const tsconfig = join(scratch, 'tsconfig.json');
const options = {
  name: `a2c-actors ${version}`,
  entryPoints,
  projectDocuments,
  readme: join(copy, 'README.md'),
  out: target,
  tsconfig,
  basePath: entries,
  displayBasePath: entries,
  alwaysCreateEntryPointModule: true,
  disableSources: true,
  searchInDocuments: true,
  searchInComments: true,
  // Pages before single names of the API, where both have the words.
  searchGroupBoosts: { Documents: 3 },
  hideGenerator: true,
  sort: ['source-order'],
  navigation: { includeGroups: false },
  highlightLanguages: [
    'bash',
    'sh',
    'js',
    'ts',
    'json',
    'jsonc',
    'yaml',
    'toml',
    'markdown',
    'diff',
    'nginx',
    'python',
  ],
  // A link that leads nowhere ends the run.
  treatWarningsAsErrors: true,
  validation: { notExported: false, invalidLink: true, invalidPath: true },
};
writeFileSync(
  tsconfig,
  JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      target: 'es2023',
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: entryPoints,
  }),
);
const optionsFile = join(scratch, 'options.json');
writeFileSync(optionsFile, JSON.stringify(options));
const home = await installed('docs', ['typedoc@0.28.20', 'typescript@6']);
const typedoc = [join(home, 'node_modules/typedoc/bin/typedoc'), '--options', optionsFile];
const { status } = spawnSync(process.execPath, typedoc, { cwd: root, stdio: 'inherit' });
process.stdout.write(`${join(target, 'index.html')}\n`);
process.exitCode = status ?? 1;
