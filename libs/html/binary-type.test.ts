/** Binary files are recognized by their first bytes, and texts never are. */
import fc from 'fast-check'
import { test } from 'tap'
import { binaryFiles, textsLikeFiles } from './binary-files.examples.ts'
import { binaryTypeOf, binaryTypeOfText } from './binary-type.ts'

test('The type of a file by its first bytes', async t => {
  for (const [type, bytes] of binaryFiles) {
    t.equal(binaryTypeOf(bytes), type, type)
    t.equal(binaryTypeOfText(bytes.toString('latin1')), type, `${type}, one character a byte`)
    t.equal(binaryTypeOfText(new TextDecoder('windows-1252').decode(bytes)), type, `${type} as windows-1252`)
  }
  for (const name of ['image/png', 'image/gif', 'application/pdf', 'application/zip', 'application/gzip']) {
    const bytes = binaryFiles.find(([type]) => type === name)?.[1] ?? Buffer.alloc(0)
    t.equal(binaryTypeOfText(bytes.toString('utf8')), name, `${name}, as what was lost in UTF-8`)
  }
  for (const text of ['', ...textsLikeFiles]) {
    t.equal(binaryTypeOf(Buffer.from(text)), null, `no file: ${text}`)
    t.equal(binaryTypeOf(Buffer.from(text, 'latin1')), null, `no file, in latin1: ${text}`)
    t.equal(binaryTypeOfText(text), null, `no file, as text: ${text}`)
  }
  t.equal(binaryTypeOfText('ID3: Ѐ, Ā and ᘀ are letters.'), null, 'letters are not control characters')
  const written = fc.string({ unit: 'grapheme', maxLength: 60 }).filter(text => !/^%(?:PDF|!PS)/.test(text))
  const none = fc.property(written, text => {
    const printed = text.replace(/\p{Cc}/gu, '')
    return binaryTypeOf(Buffer.from(printed)) === null && binaryTypeOfText(printed) === null
  })
  t.doesNotThrow(() => fc.assert(none, { numRuns: 500 }), 'texts are not recognized as files')
})
