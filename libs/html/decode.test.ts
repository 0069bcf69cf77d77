/** The encoding of a page, and decoding of any bytes. */
import { measured } from '@tidemark/testing/processor-time'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { encodedIn, fewWords, inOldCharsets, inWindows1252, undeclaredPage } from './charsets.examples.ts'
import { decodeHtml } from './decode.ts'

const comment = `<!--${'x'.repeat(2000)}-->`

test('Decoding', async t => {
  const cases: [says: string, bytes: Buffer, type: string | null, html: string, charset: string][] = [
    ['reads ASCII unchanged', Buffer.from('abc'), 'text/html; charset=utf-8', 'abc', 'utf-8'],
    ['reads UTF-8 by the header', Buffer.from('ü€'), 'text/html;charset="UTF-8"', 'ü€', 'utf-8'],
    ['removes the byte order mark of UTF-8', Buffer.from('\ufeffü'), 'text/html; charset=utf8', 'ü', 'utf-8'],
    [
      'prefers a byte order mark to the header',
      Buffer.from('\ufeffü'),
      'text/html; charset=latin1',
      'ü',
      'utf-8',
    ],
    [
      'recognizes UTF-16 by its byte order mark',
      Buffer.from('\ufeffhé', 'utf16le'),
      'text/html; charset=utf-8',
      'hé',
      'utf-16le',
    ],
    [
      'recognizes UTF-16 of the other byte order',
      Buffer.from('\ufeffh', 'utf16le').swap16(),
      null,
      'h',
      'utf-16be',
    ],
    [
      'prefers the header to the page',
      Buffer.from('<meta charset=utf-8>\xfc', 'latin1'),
      "text/html; charset='iso-8859-1'",
      '<meta charset=utf-8>ü',
      'windows-1252',
    ],
    [
      'uses the declaration of the page',
      Buffer.from('<meta charset=koi8-r>\xc1', 'latin1'),
      'text/html',
      '<meta charset=koi8-r>а',
      'koi8-r',
    ],
    ['recognizes undeclared UTF-8', Buffer.from('grün'), 'text/html', 'grün', 'utf-8'],
    ['falls back to windows-1252', Buffer.from([0x80, 0x93, 0xfc]), null, '€“ü', 'windows-1252'],
    ['ignores an invalid label', Buffer.from('ü'), 'text/html; charset=nonsense', 'ü', 'utf-8'],
    [
      'replaces bytes that are not UTF-8',
      Buffer.from([0x61, 0xff, 0x62]),
      'text/html; charset=utf-8',
      'a\ufffdb',
      'utf-8',
    ],
    [
      'recognizes UTF-16 without a byte order mark by its XML declaration',
      Buffer.from('<?xml version="1.0"?><p>é', 'utf16le'),
      'application/xhtml+xml',
      '<?xml version="1.0"?><p>é',
      'utf-16le',
    ],
    [
      'reads undeclared UTF-16 like browsers',
      Buffer.from('<p>', 'utf16le'),
      'text/html',
      '<\0p\0>\0',
      'utf-8',
    ],
    [
      'ignores a declaration of UTF-16 in bytes of ASCII',
      Buffer.from('<meta charset=utf-16>ü'),
      null,
      '<meta charset=utf-16>ü',
      'utf-8',
    ],
    [
      'uses the declaration of the page if the label of the header is invalid',
      Buffer.from('<meta charset=koi8-r>\xc1', 'latin1'),
      'text/html; charset=utf8mb4',
      '<meta charset=koi8-r>а',
      'koi8-r',
    ],
    [
      'uses a late declaration',
      Buffer.from(`${comment}<meta charset=koi8-r>\xc1`, 'latin1'),
      'text/html',
      `${comment}<meta charset=koi8-r>а`,
      'koi8-r',
    ],
    [
      'ignores declarations after the first megabyte',
      Buffer.from(`${comment.repeat(600)}<meta charset=koi8-r>\xc1`, 'latin1'),
      'text/html',
      `${comment.repeat(600)}<meta charset=koi8-r>Á`,
      'windows-1252',
    ],
    [
      'ignores a late declaration in a page of UTF-8',
      Buffer.from(`${comment}<meta charset=koi8-r>ü`),
      'text/html',
      `${comment}<meta charset=koi8-r>ü`,
      'utf-8',
    ],
    ['reads an empty page', Buffer.alloc(0), null, '', 'utf-8'],
  ]
  for (const [says, bytes, type, html, charset] of cases)
    t.same(decodeHtml(bytes, type), { html, charset }, says)
  const label = fc.constantFrom(
    'replacement',
    'x-user-defined',
    'hz-gb-2312',
    'iso-2022-jp',
    'gb18030',
    '',
    '"',
    'utf-7',
  )
  const total = fc.property(
    fc.uint8Array({ maxLength: 200 }),
    label,
    (bytes, name) => typeof decodeHtml(Buffer.from(bytes), `text/html; charset=${name}`).html === 'string',
  )
  t.doesNotThrow(() => fc.assert(total), 'never throws')

  for (const many of [
    '<meta ',
    '<meta charset',
    '<meta charset=',
    '<meta charset="x">',
    '<!--<meta charset=x',
  ]) {
    const started = process.cpuUsage()
    decodeHtml(Buffer.from(`${many.repeat(200_000)}\xff`, 'latin1'), null)
    t.ok(process.cpuUsage(started).user < 1_000_000, `looks through ${many} without getting lost`)
  }
})

test('A page that declares no encoding', async t => {
  for (const example of [...inOldCharsets, ...inWindows1252]) {
    const { charset, lang, title, text } = example
    const bytes = undeclaredPage(example)
    for (const type of [null, 'text/html', 'text/html; charset=nonsense']) {
      const { html, charset: found } = decodeHtml(bytes, type)
      t.match(
        html,
        `<h1>${title}</h1><p>${text}</p>`,
        `is read as ${charset} (${lang}, ${type}), not as ${found}`,
      )
    }
    const long = Buffer.concat([Buffer.from(comment.repeat(200)), bytes])
    t.match(decodeHtml(long, null).html, text, `also where its words come late: ${charset} (${lang})`)
  }
  for (const [charset, text] of fewWords) {
    const { html, charset: found } = decodeHtml(encodedIn(charset, `<p>${text}</p>`), null)
    t.equal(html, `<p>${text}</p>`, `of few words is read as ${charset}, not as ${found}`)
  }
  const [russian] = inOldCharsets
  if (russian === undefined) throw new Error('no example found')
  const bytes = undeclaredPage(russian)
  const cases: [says: string, bytes: Buffer, type: string | null, charset: string][] = [
    ['the header wins', bytes, 'text/html; charset=koi8-r', 'koi8-r'],
    ['the page wins', Buffer.concat([Buffer.from('<meta charset=koi8-r>'), bytes]), null, 'koi8-r'],
    [
      'the page wins, also late',
      Buffer.concat([bytes, Buffer.from('<meta charset=koi8-r>')]),
      null,
      'koi8-r',
    ],
    ['UTF-8 counts', Buffer.from(`<p>${russian.text}`), null, 'utf-8'],
    ['bytes with zeros are not text', Buffer.concat([bytes, Buffer.alloc(9)]), null, 'windows-1252'],
  ]
  for (const [says, bytes, type, charset] of cases) t.equal(decodeHtml(bytes, type).charset, charset, says)

  const byte = fc.oneof(fc.integer({ min: 1, max: 255 }), fc.integer({ min: 0x80, max: 255 }))
  const any = fc.property(fc.array(byte, { maxLength: 300 }), bytes => {
    const { html, charset } = decodeHtml(Buffer.from(bytes), null)
    return new TextDecoder(charset).encoding === charset && typeof html === 'string'
  })
  t.doesNotThrow(() => fc.assert(any, { numRuns: sized(100, 300) }), 'is always read in some encoding')
  const text = encodedIn('shift_jis', '表示')
  for (const piece of ['<', '<!--', '<script>', '<script></script', ' ', 'é<p>', 'word ', '\xc4\xe3']) {
    const long = Buffer.concat([Buffer.from(piece.repeat(2 ** 20 / piece.length), 'latin1'), text])
    const started = process.cpuUsage()
    decodeHtml(long, null)
    t.ok(process.cpuUsage(started).user < 1_000_000, `is looked through without getting lost: ${piece}`)
  }
})

test('Nearly valid UTF-8 without a declared encoding', async t => {
  const french = 'Le ciel s’éclaircira après l’été : la mer sera calme, dès le départ de la marée.'
  const japanese = '毎朝、灯台守は水位と風の強さを書き留めます。'
  const stray = Buffer.concat([Buffer.from(`<p>${french}`), Buffer.from([0xe9])])
  const cut = Buffer.from(`<p>${japanese}`).subarray(0, -1)
  const cases: [says: string, bytes: Buffer, charset: string][] = [
    ['one stray byte among many characters', Buffer.concat([stray, Buffer.from('</p>')]), 'utf-8'],
    ['a last character of which two bytes are left', cut, 'utf-8'],
    ['a last character of which one byte is left', cut.subarray(0, -1), 'utf-8'],
    ['eight characters for one stray byte', Buffer.from(`${'\xc3\xa9 '.repeat(8)}\xe9 `, 'latin1'), 'utf-8'],
    [
      'a late declaration counts more',
      Buffer.concat([Buffer.from(`${comment}<meta charset=koi8-r>`), cut]),
      'koi8-r',
    ],
  ]
  for (const [says, bytes, charset] of cases) t.equal(decodeHtml(bytes, 'text/html').charset, charset, says)
  const others = {
    'seven characters for one stray byte': `${'\xc3\xa9 '.repeat(7)}\xe9 `,
    'surrogates of UTF-8': '\xed\xa0\x80 '.repeat(9),
    'bytes beyond Unicode': '\xf4\x90\x80\x80 '.repeat(9),
  }
  for (const [says, text] of Object.entries(others))
    t.not(decodeHtml(Buffer.from(text, 'latin1'), null).charset, 'utf-8', `not ${says}`)
  for (const { charset, lang, title, text } of [...inOldCharsets, ...inWindows1252]) {
    const bytes = encodedIn(charset, `${title} ${text} `.repeat(20).trim())
    for (const cut of [0, 1])
      t.not(decodeHtml(bytes.subarray(cut, -1), null).charset, 'utf-8', `not ${charset} (${lang}), cut`)
  }
  t.equal(
    decodeHtml(Buffer.concat([stray, Buffer.from('</p>')]), null).html,
    `<p>${french}\ufffd</p>`,
    'only the stray byte is replaced',
  )
  const anyUtf8 = fc.property(
    fc.string({ unit: fc.constantFrom('é', '海', 'ж', '🙂', 'a', ' '), minLength: 1, maxLength: 60 }),
    fc.nat(),
    (text, at) => {
      const bytes = Buffer.from(text + japanese + japanese)
      bytes[at % bytes.length] = 0xff
      const { html, charset } = decodeHtml(bytes, null)
      return charset === 'utf-8' && html === new TextDecoder().decode(bytes)
    },
  )
  t.doesNotThrow(
    () => fc.assert(anyUtf8, { numRuns: sized(100, 1000) }),
    'is read with any one byte destroyed',
  )

  const { result, processorMs } = await measured(async () =>
    decodeHtml(Buffer.concat([Buffer.from('海 é '.repeat(1_000_000)), Buffer.from([0xff])]), null),
  )
  t.equal(result.charset, 'utf-8')
  t.ok(processorMs < 2_000, `8 MB are read in ${processorMs} ms`)
})

test('JSON without a declared encoding is UTF-8 (RFC 8259, 8.1)', async t => {
  const text = '{"html":"<meta charset=koi8-r>","город":"Мурманск"}'
  for (const type of [
    'application/json',
    ' Application/JSON; profile=x',
    'application/ld+json',
    'application/x-ndjson',
    'text/json',
  ]) {
    t.same(decodeHtml(Buffer.from(text), type), { html: text, charset: 'utf-8' }, type)
    const stray = Buffer.concat([Buffer.from(text), Buffer.of(0xe9)])
    t.equal(decodeHtml(stray, type).html, `${text}\ufffd`, `also with a stray byte: ${type}`)
  }
  const old = encodedIn('windows-1251', text)
  t.equal(decodeHtml(old, 'application/json; charset=windows-1251').html, text, 'a declared one counts')
  t.equal(decodeHtml(old, 'text/x-jsonnet').charset, 'koi8-r', 'other types are no JSON')
  const plain = '{"город":"Мурманск, порт на севере страны"}'
  t.equal(decodeHtml(encodedIn('windows-1251', plain), 'application/json').html, plain, 'of an old server')
})
