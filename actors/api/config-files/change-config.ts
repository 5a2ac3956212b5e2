import { changeFile, NotText } from '../../../adapters/index.ts';
import { editConfig, mistakeLine, type ConfigChange } from '../../../machines/config/index.ts';
import { A2cError } from '../../kernel/errors.ts';

/** Writes one change; true: the file said so already. */
export async function changeConfig(file: string, what: ConfigChange): Promise<boolean> {
  const format = /\.(ya?ml|toml)$/i.exec(file)?.[1];
  if (format !== undefined)
    throw new A2cError({
      code: 'ConfigInvalid',
      message: `${file} is ${/toml/i.test(format) ? 'TOML' : 'YAML'}: it is read, and only JSON is written`,
      details: { file },
      remedy: `Take its servers over: a2c import ${file}. Or change it by hand; nothing was changed.`,
    });
  let isSame = false;
  let written: string | null = null;
  const edited = (before: string | null): string | null => {
    // What was written is looked at once more.
    if (before !== null && before === written) return before;
    const made = editConfig(before ?? '', what);
    if (!made.ok) throw new A2cError({ ...made.failure, details: { file, ...made.failure.details } });
    isSame = made.isSame;
    written = isSame ? before : made.text;
    return written;
  };
  await changeFile(file, edited, { backup: '.bak' }).catch((error: unknown) => {
    if (!(error instanceof NotText)) throw error;
    const message = mistakeLine(error.mistake, file);
    throw new A2cError({
      code: 'ConfigInvalid',
      message,
      details: { file },
      remedy: 'Mend the file first; nothing was changed.',
    });
  });
  return isSame;
}
