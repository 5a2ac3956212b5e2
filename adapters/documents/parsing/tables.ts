import { limits } from '../../../machines/document-files.ts';

/** Returns the number of rows on a page of a table: 2,000, and fewer when the table is wide. */
export const rowsPerPage = (columns: number): number =>
  Math.max(1, Math.min(limits.tableRows, Math.floor(limits.tableCells / Math.max(1, columns))));
