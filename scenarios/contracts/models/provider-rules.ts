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
const eachTool =
  (isBroken: (tool: Tool) => boolean): Violations =>
  (tools) =>
    tools.filter(isBroken).map((tool) => String(nameOf(tool)));
const eachSchema =
  (schemaOf: (tool: Tool) => unknown, isBroken: (node: Node, isRoot: boolean) => boolean): Violations =>
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

const openaiTool = (parameters: unknown, more: object = {}): Tool => ({
  type: 'function',
  function: { name: 'f', description: '', parameters, ...more },
});
const anthropicTool = (input_schema: unknown, name = 'f'): Tool => ({ name, description: '', input_schema });
const geminiTool = (parametersJsonSchema: unknown): Tool => ({
  name: 'f',
  description: '',
  parametersJsonSchema,
});
const withProperty = (schema: unknown, type = 'object', name = 'p'): Node => ({
  type,
  properties: { [name]: schema },
});
const common: readonly ProviderRule[] = [
  {
    id: 'N1',
    says: 'A name has 1 to 64 letters, digits, `_` and `-`, and begins with a letter or `_`',
    violations: eachTool((tool) => !/^[a-z_][\w-]{0,63}$/i.test(String(nameOf(tool)))),
    violating: [anthropicTool({ type: 'object' }, 'a.b')],
  },
  {
    id: 'N2',
    says: 'No two tools of a request have one name',
    violations: (tools) =>
      tools
        .map(nameOf)
        .filter((name, n, all) => all.indexOf(name) !== n)
        .map(String),
    violating: [anthropicTool({ type: 'object' }), anthropicTool({ type: 'object' })],
  },
];

export const openaiRules: readonly ProviderRule[] = [
  ...common,
  {
    id: 'O1',
    says: '`parameters` has `type: "object"` and `properties`',
    violations: eachSchema(
      openaiSchema,
      (node, isRoot) => isRoot && !(node['type'] === 'object' && isNode(node['properties'])),
    ),
    violating: [openaiTool({ type: 'object' })],
  },
  {
    id: 'O2',
    says: 'At its root stand no `anyOf`, `oneOf`, `allOf`, `enum`, `not`',
    violations: eachSchema(
      openaiSchema,
      (node, isRoot) => isRoot && has(node, 'anyOf', 'oneOf', 'allOf', 'enum', 'not'),
    ),
    violating: [openaiTool({ type: 'object', properties: {}, anyOf: [{ required: ['a'] }] })],
  },
  {
    id: 'O3',
    says: 'Every array has `items`, and they are a schema',
    violations: eachSchema(openaiSchema, (node) => hasType(node, 'array') && !isNode(node['items'])),
    violating: [openaiTool(withProperty({ type: 'array' }))],
  },
  {
    id: 'O4',
    says: 'No reference leads anywhere: there is no `$ref`',
    violations: eachSchema(openaiSchema, (node) => has(node, '$ref', '$dynamicRef', '$recursiveRef')),
    violating: [openaiTool(withProperty({ $ref: '#/$defs/gone' }))],
  },
  {
    id: 'O5',
    says: 'It is valid JSON Schema, draft 2020-12',
    violations: eachTool((tool) => !isDraft2020(openaiSchema(tool))),
    violating: [openaiTool(withProperty({ type: 'any' }))],
  },
  {
    id: 'O6',
    says: 'A tool has `type` and `function`, and that has `name`, `description` and `parameters`: nothing else',
    violations: eachTool(
      (tool) =>
        Object.keys(tool).toSorted().join() !== 'function,type' ||
        Object.keys(tool['function'] ?? {})
          .toSorted()
          .join() !== 'description,name,parameters',
    ),
    violating: [openaiTool({ type: 'object', properties: {} }, { id: 'f' })],
  },
];

export const anthropicRules: readonly ProviderRule[] = [
  ...common,
  {
    id: 'A1',
    says: '`input_schema` has `type: "object"`',
    violations: eachTool((tool) => inside(tool['input_schema'], 'type') !== 'object'),
    violating: [anthropicTool({ properties: {} })],
  },
  {
    id: 'A2',
    says: 'At its root stand no `anyOf`, `oneOf`, `allOf`',
    violations: eachSchema(anthropicSchema, (node, isRoot) => isRoot && has(node, 'anyOf', 'oneOf', 'allOf')),
    violating: [anthropicTool({ type: 'object', oneOf: [{}] })],
  },
  {
    id: 'A3',
    says: 'There is no `$ref` in it',
    violations: eachSchema(anthropicSchema, (node) => has(node, '$ref', '$dynamicRef', '$recursiveRef')),
    violating: [anthropicTool({ ...withProperty({ $ref: '#/$defs/a' }), $defs: { a: {} } })],
  },
  {
    id: 'A4',
    says: 'Names of parameters have 1 to 64 letters, digits, `_`, `.` and `-`',
    violations: eachSchema(anthropicSchema, (node) =>
      names(node).some((name) => !/^[\w.-]{1,64}$/.test(name)),
    ),
    violating: [anthropicTool(withProperty({}, 'object', '$filter'))],
  },
  {
    id: 'A5',
    says: 'It is valid JSON Schema, draft 2020-12',
    violations: eachTool((tool) => !isDraft2020(anthropicSchema(tool))),
    violating: [anthropicTool(withProperty({ type: 'number', minimum: 0, exclusiveMinimum: true }))],
  },
];

export const geminiRules: readonly ProviderRule[] = [
  ...common,
  {
    id: 'G1',
    says: '`parametersJsonSchema` has `type: "object"` and properties; a tool that takes none has no `parametersJsonSchema`',
    violations: eachTool((tool) => {
      const schema = geminiSchema(tool);
      return (
        schema !== undefined && !(isNode(schema) && schema['type'] === 'object' && names(schema).length > 0)
      );
    }),
    violating: [geminiTool({ type: 'object', properties: {} })],
  },
  {
    id: 'G2',
    says: 'There is no `$ref` in it, and at its root stand no `anyOf`, `oneOf`, `allOf`',
    violations: eachSchema(
      geminiSchema,
      (node, isRoot) =>
        has(node, '$ref', '$dynamicRef', '$recursiveRef') || (isRoot && has(node, 'anyOf', 'oneOf', 'allOf')),
    ),
    violating: [geminiTool({ ...withProperty({ $ref: '#/$defs/a' }), $defs: { a: {} } })],
  },
  {
    id: 'G3',
    says: 'Every array has `items`, and they are a schema',
    violations: eachSchema(geminiSchema, (node) => hasType(node, 'array') && !isNode(node['items'])),
    violating: [geminiTool(withProperty({ type: 'array' }))],
  },
  {
    id: 'G4',
    says: 'Names of parameters have 1 to 64 letters, digits and `_`, and begin with a letter or `_`',
    violations: eachSchema(geminiSchema, (node) =>
      names(node).some((name) => !/^[a-z_]\w{0,63}$/i.test(name)),
    ),
    violating: [geminiTool(withProperty({ type: 'string' }, 'object', 'per-page'))],
  },
  {
    id: 'G5',
    says: 'It is valid JSON Schema, draft 2020-12',
    violations: eachTool((tool) => geminiSchema(tool) !== undefined && !isDraft2020(geminiSchema(tool))),
    violating: [geminiTool(withProperty({ type: 'any' }))],
  },
];
