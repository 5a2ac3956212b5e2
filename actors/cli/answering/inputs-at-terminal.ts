import { resolve } from 'node:path';
import { openKeyring, type Terminal } from '../../../adapters/index.ts';
import { type AskInput, keepingPasswords } from '../../servers/inputs.ts';
import { readField } from './form.ts';

export interface KeyringOptions {
  /** Passwords that are typed are kept in the keyring of the system. */
  readonly keyring?: boolean;
  /** The file that names the inputs; left out: that of this folder or this user. */
  readonly config?: string;
}

/**
 * Asks a person for the value of an input. An empty answer, and Ctrl-C, mean the default. Without a terminal nobody is asked, so
 * that the environment and the defaults count.
 */
export function inputsAt(
  terminal: Terminal,
  { keyring = false, config = '' }: KeyringOptions,
): AskInput | undefined {
  const ask = terminal.isInteractive ? asking(terminal) : undefined;
  if (!keyring) return ask;
  const open = () => openKeyring('a2c-actors');
  return keepingPasswords(ask, { open, scope: resolve(config), notice: (text) => terminal.err(text) });
}
function asking(terminal: Terminal): AskInput {
  return async (definition, { signal }) => {
    const { id, type, description } = definition;
    // VS Code runs it; here a variable gives it.
    if (type === 'command') return undefined;
    const what = description === '' ? id : description;
    const preset =
      definition.default === null
        ? ''
        : type === 'promptString' && definition.password
          ? ' [default]'
          : ` [${definition.default}]`;
    if (type === 'promptString') {
      const answer = await terminal.question(`${what}${preset}: `, signal, { isSecret: definition.password });
      return answer ?? undefined;
    }
    const { options, labels = {} } = definition;
    terminal.err(what);
    options.forEach((option, n) => terminal.err(`  ${n + 1}  ${labels[option] ?? option}`));
    for (;;) {
      const answer = await terminal.question(`1-${options.length}${preset}: `, signal);
      if (answer === null || answer.trim() === '') return undefined;
      const read = readField(answer.trim(), {
        enum: options,
        enumNames: options.map((option) => labels[option] ?? option),
      });
      if (typeof read !== 'string') return String(read.value);
      terminal.err(`expected ${read}`);
    }
  };
}
