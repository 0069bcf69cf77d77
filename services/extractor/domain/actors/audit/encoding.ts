/** Rules of the encoding of a page, and of what it declares of it. */
import { charsetsOf, type Declared, lateCharset } from './charsets.ts'
import { among, counted, type Rule, when } from './rule.ts'
import { html } from './sources.ts'

const encoding = html('character encoding declarations', 'semantics.html#charset')

export const encodingRules: readonly Rule[] = [
  {
    id: 'charset/missing',
    on: 'pages',
    severity: 'warning',
    finds: 'No encoding by Content-Type, meta element or byte order mark, and text beyond ASCII',
    reason: 'Browsers guess it, and letters may turn into others.',
    source: encoding,
    find: page =>
      when(
        charsetsOf(page).length === 0 && page.page.body.some(byte => byte > 127),
        () =>
          'The page does not say its encoding. Add <meta charset="utf-8"> as the first element of the head.',
      ),
  },
  {
    id: 'charset/not-utf8',
    on: 'pages',
    severity: 'info',
    finds: 'A declared encoding other than UTF-8',
    reason: 'The standard requires UTF-8; others break forms, scripts and addresses in small ways.',
    source: encoding,
    find: page => {
      const [declared] = charsetsOf(page)
      if (declared === undefined || /^utf-?8$/i.test(declared.label)) return null
      return {
        message: `The page is declared as ${declared.label}. Serve it as UTF-8.`,
        samples: [shown(declared)],
      }
    },
  },
  {
    id: 'charset/conflict',
    on: 'pages',
    severity: 'warning',
    finds: 'Content-Type and meta element that declare different encodings',
    reason: 'The header counts, so what the page says of itself is wrong.',
    source: encoding,
    find: page => {
      const declared = charsetsOf(page)
      const labels = new Set(declared.map(({ label }) => encodingOf(label)))
      return labels.size < 2
        ? null
        : among(declared, () => 'Different encodings are declared. Let all say the same.', shown)
    },
  },
  {
    id: 'charset/late',
    on: 'pages',
    severity: 'warning',
    finds:
      'A meta element with the encoding that does not end within the first 1,024 bytes, and none by Content-Type',
    reason: 'Browsers look for it there, and later begin anew or guess.',
    source: encoding,
    find: page => {
      const at = lateCharset(page)
      return when(
        at !== null,
        () => `The encoding is declared at byte ${at}. Make it the first element of the head.`,
      )
    },
  },
  {
    id: 'charset/undecodable',
    on: 'pages',
    severity: 'warning',
    finds: 'Replacement characters (U+FFFD) in the text: bytes that the encoding of the page does not have',
    reason: 'People see them as question marks.',
    source: encoding,
    find: page => {
      const { line } = page.index
      const found = line.includes('\ufffd') && !isUtf8(page.page.body) ? [...line.matchAll(/\ufffd+/g)] : []
      return among(
        found,
        n =>
          `In ${counted(n, 'place')} the text could not be read in the encoding of the page. Mend its encoding, or what it declares.`,
        ({ index = 0 }) => line.slice(Math.max(0, index - 20), index + 20),
      )
    },
  },
]

/** One encoding has many labels (WHATWG Encoding, 4.2). */
function encodingOf(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return label.toLowerCase()
  }
}

/** Then a replacement character is one that somebody wrote. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const shown = ({ label, where }: Declared): string => `${where}: ${label}`
