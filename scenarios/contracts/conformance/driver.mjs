/**
 * The client that the official conformance suite drives: a host of `createComputer`, and nothing else. The suite gives
 * the URL of its server as the last word, the scenario and what belongs to it in the environment.
 */
import { createComputer } from '../../../actors/index.ts';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** Client that a person would have configured for this server. */
function oauthOf() {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  if (scenario.startsWith('auth/client-credentials'))
    return {
      grant: 'client_credentials',
      clientId,
      ...(clientSecret && { clientSecret }),
      ...(privateKey && { privateKey, signingAlgorithm: context.signing_algorithm }),
    };
  if (context.valid_jwt) return { grant: 'jwt_bearer', clientId, assertion: context.valid_jwt };
  if (context.idp_id_token)
    return {
      grant: 'jwt_bearer',
      clientId,
      clientSecret,
      assertion: context.idp_id_token,
      idpTokenEndpoint: context.idp_token_endpoint,
      idpClientId: context.idp_client_id,
    };
  if (clientId) return { clientId, ...(clientSecret && { clientSecret }) };
  return { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' };
}
/** A person who agrees to everything: the page of the suite's authorization server redirects at once. */
async function authorize({ url: page }) {
  const answer = await fetch(page, { redirect: 'manual' });
  return answer.headers.get('location') ?? undefined;
}
/** Answers with the default of each field, as SEP-1034 says of fields that a person left unchanged. */
async function elicit({ params: { requestedSchema } }) {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  const content = Object.fromEntries(
    fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  );
  return { action: 'accept', content };
}
/** A model that has one answer. */
const sample = async () => ({
  role: 'assistant',
  content: { type: 'text', text: 'An answer.' },
  model: 'none',
  stopReason: 'endTurn',
});
/** Something of the type that the schema of a parameter asks for. */
const sampleOf = ({ type }) =>
  ({ number: 5, integer: 5, boolean: true, array: [], object: {} })[type] ?? 'text';

const computer = await createComputer({
  config: { servers: [{ name: 'it', type: 'streamable', server_parameters: { url }, oauth: oauthOf() }] },
  authorize,
  answers: { elicit, roots: () => [{ uri: 'file:///tmp' }], sample },
  confirm: 'allow',
  stateDir: false,
  reaper: false,
  record: false,
});
/** A login takes its time: it is waited for until the server is ready, or rests. */
const settled = () =>
  new Promise((resolve) => {
    const look = () => {
      const [{ state, failure }] = computer.status().servers;
      const isWaiting = failure?.details?.waits_for !== undefined;
      if (['ready', 'open', 'unsupported'].includes(state) || (state === 'unauthorized' && !isWaiting))
        resolve();
    };
    computer.on('server.changed', look);
    look();
  });
/** The scenario wants the schema of one tool, as an agent is given it, as the argument of the other. */
function schemaEchoed() {
  if (scenario !== 'json-schema-2020-12-preservation') return undefined;
  const { inputSchema: schema } = tools.find(({ name }) => name !== 'json_schema_echo');
  return [{ name: 'json_schema_echo', arguments: { schema } }];
}
await settled();
const { tools, servers } = await computer.tools();
/** Calls that the suite wants, or a sample for each tool. */
const calls =
  context.toolCalls ??
  schemaEchoed() ??
  tools.map(({ name, inputSchema: schema }) => {
    const fields = Object.entries(schema?.properties ?? {});
    return { name, arguments: Object.fromEntries(fields.map(([key, field]) => [key, sampleOf(field)])) };
  });
for (const tool of calls) {
  // A null was an absent argument: our host checks arguments against the schema of the tool.
  const given = Object.entries(tool.arguments).filter(([, value]) => value !== null);
  const params = Object.fromEntries(given);
  let { outcome, failure } = await computer.callTool(tool.name, params, { timeoutMs: 20_000 });
  if (failure?.code === 'Unauthorized') {
    // The login was over in the midst of it. Never sent, it may be called again after the next.
    await computer.servers.restart('it').catch(() => {});
    await settled();
    ({ outcome, failure } = await computer.callTool(tool.name, params, { timeoutMs: 20_000 }));
  }
  process.stderr.write(`${tool.name}: ${outcome} ${failure?.message ?? ''}\n`);
}
// What a person would look at besides; a server without it has empty lists.
for (const { resources } of await computer.resources())
  for (const { uri } of resources) await computer.readResource(uri, { server: 'it' }).catch(() => {});
for (const { prompts } of await computer.prompts.list())
  for (const { name } of prompts) await computer.prompts.get('it', name).catch(() => {});
process.stderr.write(`${JSON.stringify(servers)}\n`);
await computer.close();
process.exitCode = servers.every(({ state }) => state === 'ready') ? 0 : 1;
