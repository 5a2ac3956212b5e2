/** A PDF of so many pages with a paragraph on each; `mark` makes its bytes different from those of any other. */
export function longPdf(pages: number, mark: number): Buffer {
  const first = 4;
  const line = (page: number): string =>
    `BT /F1 12 Tf 72 700 Td (This is the paragraph of page ${page}, which says little.) Tj ET`;
  const kids = Array.from({ length: pages }, (_, n) => `${first + 2 * n} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...Array.from({ length: pages }, (_, n) => {
      const text = line(n + 1);
      return [
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]' +
          ` /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * n + 1} 0 R >>`,
        `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
      ];
    }).flat(),
  ];
  let body = `%PDF-1.4\n%${mark}\n`;
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}
