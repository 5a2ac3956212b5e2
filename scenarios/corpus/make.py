"""Makes the binary documents of this folder, by other programs than ours: python-docx, openpyxl, XlsxWriter, python-pptx
and reportlab (make-office.sh makes those of LibreOffice and pandoc). Its outputs are committed; run it again only to change them:

    python3 -m venv env && env/bin/pip install python-docx openpyxl XlsxWriter python-pptx reportlab
    env/bin/python scenarios/corpus/make.py
"""
import base64
import pathlib

from docx import Document
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table
import xlsxwriter

here = pathlib.Path(__file__).parent
png = here / "dot.png.tmp"
png.write_bytes(base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))

book = Workbook()
sheet = book.active
sheet.title = "Costs"
for row in [["Month", "Cost", "Tax"], ["May", 300, None], ["June", 450, None], ["July", 120, None]]:
    sheet.append(row)
for at in (2, 3, 4):
    sheet[f"C{at}"] = f"=B{at}*0.2"
sheet["B5"] = "=SUM(B2:B4)"
sheet["A5"] = "Total"
sheet["A2"].comment = Comment("Paid late", "Ada")
sheet["A7"] = "Rules"
sheet["A7"].hyperlink = "https://example.com/rules"
chart = BarChart()
chart.title = "Cost by month"
chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=4), titles_from_data=True)
chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=4))
sheet.add_chart(chart, "E2")
notes = book.create_sheet("Notes")
notes.append(["Who", "What"])
notes.append(["Grace", "Wrote the compiler"])
book.properties.title = "The costs of summer"
book.properties.keywords = "budget, summer"
book.save(here / "costs.xlsx")

other = xlsxwriter.Workbook(str(here / "stock.xlsx"))
stock = other.add_worksheet("Stock")
for at, row in enumerate([["Part", "Count", "Price"], ["bolt", 12, 0.5], ["nut", 40, 0.25]]):
    stock.write_row(at, 0, row)
stock.write_formula("D2", "=B2*C2", None, 6)
stock.write_formula("D3", "=B3*C3", None, 10)
line = other.add_chart({"type": "line"})
line.add_series({"name": "Count", "categories": "=Stock!$A$2:$A$3", "values": "=Stock!$B$2:$B$3",
                 "categories_data": ["bolt", "nut"], "values_data": [12, 40]})
line.set_title({"name": "Parts at hand"})
stock.insert_chart("F2", line)
other.close()

report = Document()
report.core_properties.title = "Report on the bridge"
report.core_properties.keywords = "bridge, steel"
report.core_properties.comments = "What was found in May"
report.add_heading("Report on the bridge", 0)
report.add_paragraph("The bridge was looked at in May.")
report.add_heading("Findings", 1)
report.add_paragraph("Rust on the north side.", style="List Bullet")
report.add_paragraph("Two bolts are missing.", style="List Bullet")
table = report.add_table(rows=1, cols=2)
table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Part", "State"
cells = table.add_row().cells
cells[0].text, cells[1].text = "Pillar 3", "cracked"
report.add_heading("What to do", 1)
report.add_paragraph("Close the left lane until pillar 3 is mended.")
report.add_picture(str(png), width=Inches(0.5))
report.save(here / "bridge.docx")

letter = Document()
letter.add_paragraph("Dear neighbours,")
letter.add_paragraph("on Sunday the water is off from eight to noon.")
letter.add_paragraph("First fill a bucket.", style="List Number")
letter.add_paragraph("Then wait.", style="List Number")
letter.save(here / "letter.docx")

show = Presentation()
show.core_properties.title = "Spring review"
first = show.slides.add_slide(show.slide_layouts[0])
first.shapes.title.text = "Spring review"
first.placeholders[1].text = "What we did from March to May"
second = show.slides.add_slide(show.slide_layouts[1])
second.shapes.title.text = "Aims"
second.placeholders[1].text = "Fewer faults\nFaster builds"
second.notes_slide.notes_text_frame.text = "Say that builds took nine minutes."
third = show.slides.add_slide(show.slide_layouts[5])
third.shapes.title.text = "Figures"
grid = third.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
for at, text in enumerate(["Week", "Faults", "12", "3"]):
    grid.cell(at // 2, at % 2).text = text
data = CategoryChartData()
data.categories = ["March", "April", "May"]
data.add_series("Faults", (9, 5, 3))
third.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(3), data)
picture = third.shapes.add_picture(str(png), Inches(7), Inches(1))
picture._element.nvPicPr.cNvPr.set("descr", "A red dot")
show.save(here / "review.pptx")

plain = Presentation()
only = plain.slides.add_slide(plain.slide_layouts[6])
box = only.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1)).text_frame
box.text = "Lunch is at noon"
plain.save(here / "notice.pptx")

styles = getSampleStyleSheet()
story = []
for number in range(1, 10):
    story.append(Paragraph(f"Chapter {number}", styles["Heading1"]))
    story.append(Paragraph(f"This is the first paragraph of chapter {number}. It says little.", styles["BodyText"]))
    if number == 7:
        story.append(Paragraph("The treasure is buried under the old oak.", styles["BodyText"]))
    if number == 2:
        story.append(Table([["Year", "Rain"], ["2024", "812"], ["2025", "640"]]))
    if number == 3:
        story.append(Paragraph('See <a href="https://example.com/rain">the data</a>.', styles["BodyText"]))
    story.append(PageBreak())
SimpleDocTemplate(str(here / "chapters.pdf"), pagesize=A4, title="Nine chapters", author="Nobody",
                  keywords="oak, rain", subject="A book of nine pages").build(story)

sheet = canvas.Canvas(str(here / "form.pdf"), pagesize=A4)
sheet.setFont("Helvetica-Bold", 18)
sheet.drawString(72, 760, "Order form")
sheet.setFont("Helvetica", 11)
sheet.drawString(72, 730, "Write your name here:")
sheet.acroForm.textfield(name="name", x=200, y=722, width=200, height=20, value="Ada")
sheet.save()
png.unlink()
