/** PDFs written by hand (ISO 32000-1), minimal and hostile ones. */
import zlib from 'node:zlib'

const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Returns a PDF with these objects, numbered from 1. The first object is the catalog. */
function pdfOf(objects: (string | Buffer)[], trailer = ''): Buffer {
  const parts = [latin1('%PDF-1.7\n')]
  const offsets: number[] = []
  let length = 9
  const add = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  objects.forEach((object, at) => {
    offsets.push(length)
    add(latin1(`${at + 1} 0 obj\n`))
    add(typeof object === 'string' ? latin1(object) : object)
    add(latin1('\nendobj\n'))
  })
  const rows = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  const end = `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF`
  return Buffer.concat([...parts, latin1(end)])
}

const streamOf = (data: Buffer, fields = ''): Buffer =>
  Buffer.concat([latin1(`<< ${fields} /Length ${data.length} >>\nstream\n`), data, latin1('\nendstream')])

/**
 * Returns a PDF with these lines on its pages. Each line is 14 points below the previous one. An empty line is a gap.
 */
export function pdfOfPages(pages: string[][], { catalog = '', page = '', trailer = '' } = {}): Buffer {
  const first = 4
  const kids = pages.map((_, at) => `${first + at * 2} 0 R`).join(' ')
  const objects: (string | Buffer)[] = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    font,
  ]
  pages.forEach((lines, at) => {
    const shown = lines.map(line => `(${line}) Tj 0 -14 Td`).join('\n')
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + at * 2 + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> ${page} >>`,
      streamOf(latin1(`BT /F1 12 Tf 72 720 Td\n${shown}\nET`)),
    )
  })
  return pdfOf(objects, trailer)
}

/** A page with this text in Helvetica, and Japanese text in a font of a predefined encoding (ISO 32000-1, 9.7.5.2). */
export const pdfInJapanese = (text: string, encoding: string): Buffer =>
  pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    font,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R /F2 6 0 R >> >> >>',
    streamOf(latin1(`BT /F1 12 Tf 72 720 Td (${text}) Tj 0 -28 Td /F2 12 Tf <93FA967B> Tj ET`)),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /${encoding} /DescendantFonts [7 0 R] >>`,
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 8 0 R >>',
    '<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
  ])

/** A page in a font that declares widths of the glyphs 0 to `last` (ISO 32000-1, 9.7.4.3). */
export const pdfOfWidths = (last: number): Buffer =>
  pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    streamOf(latin1('BT /F1 12 Tf 72 720 Td <00410042> Tj ET')),
    '<< /Type /Font /Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H /DescendantFonts [6 0 R] >>',
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 7 0 R /W [0 ${last} 1] >>`,
    '<< /Type /FontDescriptor /FontName /Arial /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
  ])

/** Scripts wherever a PDF can contain them. */
export const withScripts = pdfOfPages([['Read me.']], {
  catalog:
    '/OpenAction << /S /JavaScript /JS (globalThis.wasRun = true; app.alert\\(1\\); while\\(1\\){}) >> /Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (globalThis.wasRun = true) >>] >> >>',
  page: '/AA << /O << /S /JavaScript /JS (globalThis.wasRun = true) >> >>',
})

/** Requires an unknown password (standard security handler, revision 3). */
export const encrypted = pdfOfPages([['Secret']], {
  trailer: `/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`,
})

/** A megabyte that expands to a gigabyte, created without ever expanding it. */
export function bomb(): Buffer {
  const some = zlib.deflateRawSync(Buffer.alloc(16 * 1024 ** 2, ' '), {
    finishFlush: zlib.constants.Z_FULL_FLUSH,
  })
  const packed = Buffer.concat([latin1('\x78\x9c'), ...Array(64).fill(some), Buffer.of(3, 0, 0, 0, 0, 0)])
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << >> >>',
    streamOf(packed, '/Filter /FlateDecode'),
  ])
}

/** A tree of pages with a cycle. */
export const circle = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>',
])
