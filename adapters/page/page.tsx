import { render } from 'preact';
import { App } from './app.tsx';
import { attach, readEmbedded } from './attach.ts';
import { Session } from './session.ts';

const session = new Session(() => performance.now());
const root = document.getElementById('app');
root?.replaceChildren();
if (root) render(<App session={session} />, root);
if (!readEmbedded(session)) attach(session);
