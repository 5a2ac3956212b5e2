#!/bin/sh
# Makes libreoffice/ and pandoc/ of this folder: documents by the programs that most people have. The outputs are committed;
# run it again only to change them, and then write the expectations again (A2C_UPDATE_CORPUS=1) and read the difference:
#
#     apt-get install -y --no-install-recommends libreoffice-calc libreoffice-impress libreoffice-writer pandoc
#     sh scenarios/corpus/make-office.sh
#
# Made with LibreOffice 7.4.7 and pandoc 2.17.1 of Debian 12.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$here/libreoffice" "$here/pandoc"
cd "$work"

cat > manual.md <<'END'
---
title: The kettle manual
author: Nobody
keywords: [kettle, water]
subject: How to boil water
---

# Before you begin

Take the kettle out of its box.^[The box is made of paper.] Keep the [warranty](https://example.com/warranty).

1. Wash it.
2. Dry it.

# Use

Water boils at *100* degrees.

| Cups | Minutes |
|------|---------|
| 1    | 2       |
| 4    | 6       |

    kettle --fill 4

## Care

- Once a month take vinegar.
- Rinse twice.

The time is $t = \frac{m c}{P}$.
END
cat > slides.md <<'END'
---
title: Autumn plans
---

# Aims

- Fewer meetings
- Longer walks

::: notes
Ask who has a dog.
:::

# Figures

| Month   | Walks |
|---------|-------|
| October | 4     |
END
cat > letter.html <<'END'
<html><head><title>Letter to the landlord</title></head><body>
<h1>The heating</h1><p>It has been cold since <b>Monday</b>.</p>
<ol><li>The hall: 14 degrees</li><li>The kitchen: 12 degrees</li></ol>
<table border="1"><tr><th>Room</th><th>Degrees</th></tr><tr><td>Hall</td><td>14</td></tr></table>
<p>See <a href="https://example.com/heating">the rules</a>.</p></body></html>
END

pandoc manual.md -o "$here/pandoc/manual.docx"
pandoc -s manual.md -o "$here/pandoc/manual.html"
pandoc slides.md -o "$here/pandoc/slides.pptx"
pandoc manual.md -o "$here/pandoc/manual.odt"
pandoc manual.md -o "$here/pandoc/manual.epub"
pandoc -t gfm manual.md -o "$here/pandoc/manual.md"
pandoc -t plain manual.md -o "$here/pandoc/manual.txt"

office() { soffice -env:UserInstallation="file://$work/profile" --headless --convert-to "$@" >&2; }
# From the formats of LibreOffice itself, so that it writes all of a file and passes nothing on.
pandoc manual.md -o manual.odt
office odp --outdir . "$here/pandoc/slides.pptx"
office ods --outdir . "$here/costs.xlsx"
office ods --outdir . "$here/people.csv"
office odt --infilter="HTML (StarWriter)" --outdir . letter.html
office docx --outdir "$here/libreoffice" manual.odt
office docx --outdir "$here/libreoffice" letter.odt
office xlsx --outdir "$here/libreoffice" costs.ods
office xlsx --outdir "$here/libreoffice" people.ods
office pptx --outdir "$here/libreoffice" slides.odp
office pdf --outdir "$here/libreoffice" manual.odt
office pdf --outdir "$here/libreoffice" costs.ods
office odp --outdir . "$here/review.pptx"
office pptx --outdir "$here/libreoffice" review.odp
office csv --outdir "$here/libreoffice" people.ods
office html:HTML --outdir "$here/libreoffice" letter.odt
