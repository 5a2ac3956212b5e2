/** Drives `Client` of @modelcontextprotocol/client, one for each server. */
import { driveSdk, peer } from './lines.mjs';

const name = '@modelcontextprotocol/client';
const kit = { ...(await peer(name)), ...(await peer(`${name}/stdio`)) };
driveSdk(name, kit, (client, call, options) => client.callTool(call, options));
