/**
 * The server that the official conformance suite asks for, over stdio with the MCP SDK 1.x: its tools, resources and prompts have
 * the names and answers that the server scenarios look for.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (said) => ({ type: 'text', text: said });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = (uri, mimeType, said) => ({ type: 'resource', resource: { uri, mimeType, text: said } });
const nothing = { type: 'object', properties: {} };
const oneText = (name) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });
const titled = (word) => [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${word} ${n}` }));
const plain = (word) => [1, 2, 3].map((n) => `${word}${n}`);

const form = (properties, message = 'Please fill in this form') => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties } },
});
const sample = (said) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(said) }], maxTokens: 100 },
});
const roots = { method: 'roots/list' };
const name = form({ name: { type: 'string' } }, 'What is your name?');

/** What a tool does beside its answer: questions to the client, one after the other or (as a list) all at once. */
const questions = {
  test_input_required_result_elicitation: [name],
  test_input_required_result_sampling: [sample('What is the capital of France?')],
  test_input_required_result_list_roots: [roots],
  test_input_required_result_request_state: [name],
  test_input_required_result_tampered_state: [name],
  test_input_required_result_capabilities: [[name, sample('What may be asked?')]],
  test_input_required_result_multi_round: [name, form({ color: { type: 'string' } }, 'Which color?')],
  test_input_required_result_multiple_inputs: [[name, sample('Generate a greeting'), roots]],
  test_elicitation_sep1034_defaults: [
    form({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ],
  test_elicitation_sep1330_enums: [
    form({
      untitledSingle: { type: 'string', enum: plain('option') },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: { type: 'string', enum: plain('opt'), enumNames: plain('Option ') },
      untitledMulti: { type: 'array', items: { type: 'string', enum: plain('option') } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }),
  ],
};
const tools = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: () => [embedded('test://embedded-resource', 'text/plain', 'An embedded resource.')],
  test_multiple_content_types: () => [
    text('Several kinds of content:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_tool_with_logging: async (_, { sendNotification }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    return [text('done')];
  },
  test_tool_with_progress: async (_, { sendNotification, _meta }) => {
    const { progressToken } = _meta ?? {};
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` },
      });
    return [text(String(progressToken))];
  },
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_sampling: async ({ prompt }, { sendRequest }) => {
    const { content } = await sendRequest(sample(prompt), types.CreateMessageResultSchema);
    return [text(`LLM response: ${content.text}`)];
  },
  test_elicitation: async ({ message }, { sendRequest }) => {
    const asked = form({ response: { type: 'string' } }, message);
    return [text(`User response: ${JSON.stringify(await sendRequest(asked, types.ElicitResultSchema))}`)];
  },
  test_trigger_tool_change: (_, { sendNotification }) => changed(tools, 'tools', sendNotification),
  test_trigger_prompt_change: (_, { sendNotification }) => changed(prompts, 'prompts', sendNotification),
  json_schema_2020_12_tool: (given) => [text(`called with ${JSON.stringify(given)}`)],
};
const schemas = {
  test_sampling: oneText('prompt'),
  test_elicitation: oneText('message'),
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line no-thenable -- the keyword of JSON Schema, which nobody awaits
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};
const answers = {
  'roots/list': types.ListRootsResultSchema,
  'sampling/createMessage': types.CreateMessageResultSchema,
  'elicitation/create': types.ElicitResultSchema,
};
/** Adds an entry to a list, and tells of it. */
async function changed(list, word, notify) {
  list[`added_${Object.keys(list).length}`] = list.test_simple_text ?? list.test_simple_prompt;
  await notify({ method: `notifications/${word}/list_changed` });
  return [text('changed')];
}
async function asked(tool, { sendRequest }) {
  const said = [];
  for (const round of questions[tool])
    for (const { value, reason } of await Promise.allSettled(
      [round].flat().map((question) => sendRequest(question, answers[question.method])),
    ))
      said.push(value ?? reason.message);
  return [text(`state-ok ${JSON.stringify(said)}`)];
}

const contents = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
};
const template = /^test:\/\/template\/([^/]+)\/data$/;
function contentOf(uri) {
  const [, id] = template.exec(uri) ?? [];
  if (id !== undefined)
    return { mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) };
  if (contents[uri]) return contents[uri];
  throw new types.McpError(-32_002, `Resource not found: ${uri}`, { uri });
}
const user = (content) => ({ role: 'user', content });
const prompts = {
  test_simple_prompt: () => [user(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
  ],
  test_prompt_with_image: () => [user(image)],
  test_input_required_result_prompt: async (_, { sendRequest }) => {
    const { content } = await sendRequest(
      form({ context: { type: 'string' } }, 'What context?'),
      types.ElicitResultSchema,
    );
    return [user(text(JSON.stringify(content)))];
  },
};
const needed = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

const server = new Server(
  { name: 'conformance', version: '1.0.0' },
  {
    capabilities: {
      ...{ tools: { listChanged: true }, prompts: { listChanged: true } },
      ...{ resources: { subscribe: true, listChanged: true }, logging: {}, completions: {} },
    },
  },
);
server.setRequestHandler(types.ListToolsRequestSchema, () => ({
  tools: [...Object.keys(tools), ...Object.keys(questions)].map((tool) => ({
    name: tool,
    description: `Tests ${tool}`,
    inputSchema: schemas[tool] ?? nothing,
  })),
}));
server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
  const { name: tool, arguments: given = {} } = params;
  try {
    return { content: questions[tool] ? await asked(tool, extra) : await tools[tool](given, extra) };
  } catch (error) {
    return { content: [text(error.message)], isError: true };
  }
});
server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
  resources: Object.entries(contents).map(([uri, { mimeType }]) => ({ uri, name: uri.slice(7), mimeType })),
}));
server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
  resourceTemplates: [
    { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
  ],
}));
server.setRequestHandler(types.ReadResourceRequestSchema, ({ params: { uri } }) => ({
  contents: [{ uri, ...contentOf(uri) }],
}));
server.setRequestHandler(types.SubscribeRequestSchema, () => ({}));
server.setRequestHandler(types.UnsubscribeRequestSchema, () => ({}));
server.setRequestHandler(types.SetLevelRequestSchema, () => ({}));
server.setRequestHandler(types.CompleteRequestSchema, () => ({ completion: { values: [], total: 0 } }));
server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
  prompts: Object.keys(prompts).map((prompt) => ({
    name: prompt,
    description: `Tests ${prompt}`,
    arguments: (needed[prompt] ?? []).map((argument) => ({ name: argument, required: true })),
  })),
}));
server.setRequestHandler(types.GetPromptRequestSchema, async ({ params }, extra) => ({
  messages: await prompts[params.name](params.arguments ?? {}, extra),
}));
await server.connect(new StdioServerTransport());
