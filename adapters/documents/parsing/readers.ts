import type { DocumentFormat } from '../../../machines/documents.ts';
import type { Reader } from './reader.ts';

/** Loaded with the first document, so that unused formats cost nothing. */
export const readers: Readonly<Record<DocumentFormat, () => Promise<Reader>>> = {
  md: async () => (await import('./markdown.ts')).readMarkdown,
  txt: async () => (await import('./plain.ts')).readPlain,
  html: async () => (await import('./html.ts')).readHtml,
  csv: async () => (await import('./plain.ts')).readCsv,
  json: async () => (await import('./plain.ts')).readCode,
  yaml: async () => (await import('./plain.ts')).readCode,
  xml: async () => (await import('./plain.ts')).readCode,
  ipynb: async () => (await import('./notebook.ts')).readNotebook,
  epub: async () => (await import('./epub.ts')).readEpub,
  rtf: async () => (await import('./rtf.ts')).readRtf,
  eml: async () => (await import('./mail.ts')).readMail,
  odt: async () => (await import('./open-document.ts')).readOdt,
  odp: async () => (await import('./open-document.ts')).readOdp,
  ods: async () => (await import('./xlsx.ts')).readOds,
  xls: async () => (await import('./xlsx.ts')).readXls,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  docx: async () => (await import('./docx.ts')).readDocx,
  pptx: async () => (await import('./pptx.ts')).readPptx,
  pdf: async () => (await import('./pdf.ts')).readPdf,
};
