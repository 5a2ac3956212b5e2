/** Drives `Client` of @modelcontextprotocol/sdk, one for each server. */
import { driveSdk, peer } from './lines.mjs';

const parts = ['index', 'stdio', 'streamableHttp'].map((part) =>
  peer(`@modelcontextprotocol/sdk/client/${part}.js`),
);
driveSdk(
  '@modelcontextprotocol/sdk',
  Object.assign({}, ...(await Promise.all(parts))),
  (client, call, options) => client.callTool(call, undefined, options),
);
