import { Ajv2020 } from 'ajv/dist/2020.js';

/** docs/providers.md lists each rule under its number; none is derived from the code that converts tools. */
export interface ProviderRule {
  readonly id: string;
  readonly says: string;
  /** Empty: the rule is kept. */
  readonly violations: (tools: readonly Tool[]) => readonly string[];
  /** A rule that nothing breaks checks nothing. */
  readonly violating: readonly Tool[];
}
export type Tool = Readonly<Record<string, unknown>>;
type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const inside = (value: unknown, key: string): unknown => (isNode(value) ? value[key] : undefined);

interface Place {
  readonly at: string;
  readonly node: Node;
}
/** Names of properties are no keywords. */
function schemasIn(root: unknown, at: string): Place[] {
  if (!isNode(root)) return [];
  const below = Object.entries(root).flatMap(([key, value]): Place[] => {
    const path = `${at}.${key}`;
    if (/^(properties|patternProperties|\$defs|definitions|dependentSchemas)$/.test(key) && isNode(value))
      return Object.entries(value).flatMap(([name, one]) => schemasIn(one, `${path}[${name}]`));
    if (/^(anyOf|oneOf|allOf|prefixItems)$/.test(key) && Array.isArray(value))
      return value.flatMap((one, n) => schemasIn(one, `${path}[${n}]`));
    return /^(items|additionalProperties|propertyNames|not|if|then|else|contains)$/.test(key)
      ? schemasIn(value, path)
      : [];
  });
  return [{ at, node: root }, ...below];
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
/** Two providers are given the same schemas. */
const known = new Map<string, boolean>();
function isDraft2020(schema: unknown): boolean {
  const text = JSON.stringify(schema);
  const before = known.get(text);
  if (before !== undefined) return before;
  const isGood = typeof schema === 'object' && schema !== null && compiles(schema);
  known.set(text, isGood);
  return isGood;
}
function compiles(schema: object): boolean {
  try {
    return Boolean(ajv.validateSchema(schema)) && Boolean(ajv.compile(schema));
  } catch {
    return false;
  } finally {
    ajv.removeSchema();
  }
}

const openaiSchema = (tool: Tool): unknown => inside(tool['function'], 'parameters');
const anthropicSchema = (tool: Tool): unknown => tool['input_schema'];
const geminiSchema = (tool: Tool): unknown => tool['parametersJsonSchema'];
const nameOf = (tool: Tool): unknown => tool['name'] ?? inside(tool['function'], 'name');

type Violations = ProviderRule['violations'];
const rule = (
  id: string,
  says: string,
  violations: Violations,
  ...violating: readonly Tool[]
): ProviderRule => ({ id, says, violations, violating });
const eachTool =
  (isBroken: (tool: Tool) => boolean): Violations =>
  (tools) =>
    tools.filter(isBroken).map((tool) => String(nameOf(tool)));
type SchemaOf = (tool: Tool) => unknown;
const eachSchema =
  (schemaOf: SchemaOf, isBroken: (node: Node, isRoot: boolean) => boolean): Violations =>
  (tools) =>
    tools.flatMap((tool) =>
      schemasIn(schemaOf(tool), String(nameOf(tool)))
        .filter(({ node }, n) => isBroken(node, n === 0))
        .map(({ at }) => at),
    );
const has = (node: Node, ...keys: readonly string[]): boolean => keys.some((key) => Object.hasOwn(node, key));
const names = (node: Node): string[] => Object.keys(isNode(node['properties']) ? node['properties'] : {});
const hasType = (node: Node, type: string): boolean =>
  node['type'] === type || (Array.isArray(node['type']) && node['type'].includes(type));

const atRoot = (schemaOf: SchemaOf, ...keys: readonly string[]): Violations =>
  eachSchema(schemaOf, (node, isRoot) => isRoot && has(node, ...keys));
const references = (schemaOf: SchemaOf): Violations =>
  eachSchema(schemaOf, (node) => has(node, '$ref', '$dynamicRef', '$recursiveRef'));
const bareArrays = (schemaOf: SchemaOf): Violations =>
  eachSchema(schemaOf, (node) => hasType(node, 'array') && !isNode(node['items']));
const wrongNames = (schemaOf: SchemaOf, right: RegExp): Violations =>
  eachSchema(schemaOf, (node) => names(node).some((name) => !right.test(name)));
const invalid = (schemaOf: SchemaOf): Violations => eachTool((tool) => !isDraft2020(schemaOf(tool)));

const openaiTool = (parameters: unknown, more: object = {}): Tool => ({
  type: 'function',
  function: { name: 'f', description: '', parameters, ...more },
});
const anthropicTool = (input_schema: unknown, name = 'f'): Tool => ({ name, description: '', input_schema });
const geminiTool = (parametersJsonSchema: unknown): Tool => ({
  ...{ name: 'f', description: '', parametersJsonSchema },
});
const withParameters = (tools: readonly Tool[]): readonly Tool[] =>
  tools.filter((tool) => geminiSchema(tool) !== undefined);
const withProperty = (schema: unknown, name = 'p'): Node => ({
  type: 'object',
  properties: { [name]: schema },
});
const referring = { ...withProperty({ $ref: '#/$defs/a' }), $defs: { a: {} } };
const isDraft = 'It is valid JSON Schema, draft 2020-12';
const isWithItems = 'Every array has `items`, and they are a schema';

const common: readonly ProviderRule[] = [
  rule(
    'N1',
    'A name has 1 to 64 letters, digits, `_` and `-`, and begins with a letter or `_`',
    eachTool((tool) => !/^[a-z_][\w-]{0,63}$/i.test(String(nameOf(tool)))),
    anthropicTool({ type: 'object' }, 'a.b'),
  ),
  rule(
    'N2',
    'No two tools of a request have one name',
    (tools) => tools.map((tool) => String(nameOf(tool))).filter((name, n, all) => all.indexOf(name) !== n),
    ...[anthropicTool({ type: 'object' }), anthropicTool({ type: 'object' })],
  ),
];

export const openaiRules: readonly ProviderRule[] = [
  ...common,
  rule(
    'O1',
    '`parameters` has `type: "object"` and `properties`',
    eachSchema(
      openaiSchema,
      (node, isRoot) => isRoot && !(node['type'] === 'object' && isNode(node['properties'])),
    ),
    openaiTool({ type: 'object' }),
  ),
  rule(
    'O2',
    'At its root stand no `anyOf`, `oneOf`, `allOf`, `enum`, `not`',
    atRoot(openaiSchema, 'anyOf', 'oneOf', 'allOf', 'enum', 'not'),
    openaiTool({ type: 'object', properties: {}, anyOf: [{ required: ['a'] }] }),
  ),
  rule('O3', isWithItems, bareArrays(openaiSchema), openaiTool(withProperty({ type: 'array' }))),
  rule(
    'O4',
    'No reference leads anywhere: there is no `$ref`',
    references(openaiSchema),
    openaiTool(withProperty({ $ref: '#/$defs/gone' })),
  ),
  rule('O5', isDraft, invalid(openaiSchema), openaiTool(withProperty({ type: 'any' }))),
  rule(
    'O6',
    'A tool has `type` and `function`, and that has `name`, `description` and `parameters`: nothing else',
    eachTool(
      (tool) =>
        Object.keys(tool).toSorted().join() !== 'function,type' ||
        Object.keys(tool['function'] ?? {})
          .toSorted()
          .join() !== 'description,name,parameters',
    ),
    openaiTool({ type: 'object', properties: {} }, { id: 'f' }),
  ),
];

export const anthropicRules: readonly ProviderRule[] = [
  ...common,
  rule(
    'A1',
    '`input_schema` has `type: "object"`',
    eachTool((tool) => inside(tool['input_schema'], 'type') !== 'object'),
    anthropicTool({ properties: {} }),
  ),
  rule(
    'A2',
    'At its root stand no `anyOf`, `oneOf`, `allOf`',
    atRoot(anthropicSchema, 'anyOf', 'oneOf', 'allOf'),
    anthropicTool({ type: 'object', oneOf: [{}] }),
  ),
  rule('A3', 'There is no `$ref` in it', references(anthropicSchema), anthropicTool(referring)),
  rule(
    'A4',
    'Names of parameters have 1 to 64 letters, digits, `_`, `.` and `-`',
    wrongNames(anthropicSchema, /^[\w.-]{1,64}$/),
    anthropicTool(withProperty({}, '$filter')),
  ),
  rule(
    'A5',
    isDraft,
    invalid(anthropicSchema),
    anthropicTool(withProperty({ type: 'number', minimum: 0, exclusiveMinimum: true })),
  ),
];

export const geminiRules: readonly ProviderRule[] = [
  ...common,
  rule(
    'G1',
    '`parametersJsonSchema` has `type: "object"` and properties; a tool that takes none has no `parametersJsonSchema`',
    (tools) =>
      withParameters(tools)
        .filter(
          (tool) =>
            inside(geminiSchema(tool), 'type') !== 'object' || names(geminiSchema(tool) as Node).length === 0,
        )
        .map(nameOf)
        .map(String),
    geminiTool({ type: 'object', properties: {} }),
  ),
  rule(
    'G2',
    'There is no `$ref` in it, and at its root stand no `anyOf`, `oneOf`, `allOf`',
    (tools) => [
      ...references(geminiSchema)(tools),
      ...atRoot(geminiSchema, 'anyOf', 'oneOf', 'allOf')(tools),
    ],
    geminiTool(referring),
  ),
  rule('G3', isWithItems, bareArrays(geminiSchema), geminiTool(withProperty({ type: 'array' }))),
  rule(
    'G4',
    'Names of parameters have 1 to 64 letters, digits and `_`, and begin with a letter or `_`',
    wrongNames(geminiSchema, /^[a-z_]\w{0,63}$/i),
    geminiTool(withProperty({ type: 'string' }, 'per-page')),
  ),
  rule(
    'G5',
    isDraft,
    (tools) => invalid(geminiSchema)(withParameters(tools)),
    geminiTool(withProperty({ type: 'any' })),
  ),
];
