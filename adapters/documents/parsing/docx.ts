import mammoth from 'mammoth';
import { inSections, pagesOf, type Draft } from '../../../machines/documents.ts';
import { chartOf, openOfficeFile, propertiesOf } from './office-file.ts';
import { documentOfHtml } from './html.ts';
import type { Reader } from './reader.ts';

/**
 * Reads DOCX, divided into sections at headings of the first two levels. Charts come last, because mammoth does not report their
 * position.
 */
export const readDocx: Reader = async ({ bytes, name }) => {
  const file = openOfficeFile(bytes, 'word/document.xml');
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(file.packed()) },
    {
      // Replaces the data of images by their type, because image data is not read.
      convertImage: mammoth.images.imgElement(({ contentType }) =>
        Promise.resolve({ src: `embedded:${contentType}` }),
      ),
      externalFileAccess: false,
      styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h3:fresh"],
    },
  );
  const { title, pages } = documentOfHtml(value, name);
  const properties = propertiesOf(file);
  const charts = file.names
    .filter((part) => /^word\/charts\/chart\d*\.xml$/.test(part))
    .flatMap((part) => chartOf(file, part) ?? []);
  const drafts: Draft[] = [...Object.values(pages).flatMap((page) => page.drafts), ...charts];
  const named = properties.title ?? title;
  return {
    ...(named !== undefined && { title: named }),
    ...properties,
    ...pagesOf(inSections(drafts, named ?? name)),
  };
};
