import { readJson } from './json-text.ts';
import { parseConfig, type Around, type ParsedConfig } from './parse.ts';

export const parseConfigText = (text: string, where: Around = {}): ParsedConfig => {
  const read = readJson(text);
  if (!read.ok) return { ok: false, mistakes: [read.mistake] };
  return parseConfig(read.value, { ...where, duplicates: read.duplicates });
};
