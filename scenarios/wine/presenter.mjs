// Presenter of a config file, without a confirmation: `presenter.mjs FILE`. It says which servers start and stop.
import { createPresenter, MCP_EVENTS } from '../../dist/actors/presenter/index.js';

const presenter = await createPresenter({ file: process.argv[2], confirm: 'allow' });
presenter.on(MCP_EVENTS.SERVER_STARTED, (name) => process.stdout.write(`started ${name}\n`));
presenter.on(MCP_EVENTS.SERVER_STOPPED, (name) => process.stdout.write(`stopped ${name}\n`));
await presenter.initialize();
