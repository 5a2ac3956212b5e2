import { Ajv, type AnySchemaObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { readPattern } from './patterns.ts';

// Its types say that the module is the function, which under `nodenext` its default is.
const addFormats = formats as unknown as typeof formats.default;

/** What cannot be read fits every text, and is told. */
const patternsFor = (unread: (pattern: string) => void) =>
  Object.assign(
    (pattern: string): RegExp => {
      const found = readPattern(pattern);
      if (!found) unread(pattern);
      return found ?? /(?:)/;
    },
    { code: 'new RegExp' },
  );
const options: Options = {
  strict: false,
  logger: false,
  // `constructor` is a property only of who has it.
  ownProperties: true,
  // A definition that is used a thousand times is not copied a thousand times into the code.
  inlineRefs: false,
  // Done before, by an instance that is kept: each new one would take 40 ms for it.
  validateSchema: false,
};

type Maker = (options: Options) => Ajv;
export interface Dialect {
  readonly name: string;
  /** Its own schema, and what `$schema` says without fragment and scheme. */
  readonly id: string;
  /** For one schema: whatever that names itself or parts of it is forgotten with the instance. */
  create(more: Options, unread: (pattern: string) => void): Ajv;
  /** Whether this is a schema at all, or what is wrong with it. Compiled with the first call. */
  judge(): (schema: AnySchemaObject) => string | undefined;
}

function dialectOf(name: string, id: string, make: Maker): Dialect {
  let judge: ((schema: AnySchemaObject) => string | undefined) | undefined;
  const createJudge = () => {
    // Without formats: what is no regular expression is told when it is compiled.
    const ajv = make({ strict: false, logger: false, validateFormats: false });
    const isSchema = ajv.getSchema(id);
    return (schema: AnySchemaObject) => {
      if (isSchema?.(schema) !== false) return undefined;
      const { instancePath, message } = isSchema.errors?.[0] ?? { instancePath: '', message: undefined };
      return `${instancePath} ${message ?? 'is wrong'}`.trim();
    };
  };
  return {
    name,
    id: plain(id),
    create: (more, unread) => {
      // Unoptimized it is three times as quick to compile, and no slower afterwards.
      const code = { regExp: patternsFor(unread), optimize: false };
      const ajv = addFormats(make({ ...options, code, ...more }), { mode: 'full', keywords: false });
      // Of draft-04, where it meant `$id`: since then a word like any other, of which ajv makes an error.
      return ajv.removeKeyword('id');
    },
    judge: () => (judge ??= createJudge()),
  };
}
const plain = (id: string): string => id.replace(/^https?:\/\//, '').replace(/#$/, '');

const newest = dialectOf(
  '2020-12',
  'https://json-schema.org/draft/2020-12/schema',
  (more) => new Ajv2020(more),
);
const draft07 = dialectOf('draft-07', 'http://json-schema.org/draft-07/schema', (more) => new Ajv(more));
const dialects: readonly Dialect[] = [
  newest,
  dialectOf('2019-09', 'https://json-schema.org/draft/2019-09/schema', (more) => new Ajv2019(more)),
  draft07,
  // All of it is in draft-07.
  { ...draft07, name: 'draft-06', id: 'json-schema.org/draft-06/schema' },
];

/**
 * Those that may be meant, the likeliest first; none: it says one that we do not know. Without `$schema` MCP means
 * 2020-12, but older servers that do not say so mean draft-07, where `items` may be a list.
 */
export const dialectsOf = ({ $schema }: AnySchemaObject): readonly Dialect[] =>
  $schema === undefined
    ? [newest, draft07]
    : dialects.filter(({ id }) => typeof $schema === 'string' && id === plain($schema));
