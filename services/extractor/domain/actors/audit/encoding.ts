/** Rules for the encoding of a page and its declarations. */
import { charsetsOf, type Declared, lateCharset } from './charsets.ts'
import { among, type Rule, when } from './rule.ts'
import { html } from './sources.ts'

const encoding = html('character encoding declarations', 'semantics.html#charset')

export const encodingRules: readonly Rule[] = [
  {
    id: 'charset/missing',
    severity: 'warning',
    finds: 'Text beyond ASCII without an encoding in Content-Type, meta element or byte order mark',
    reason: 'Browsers guess the encoding and may show wrong characters.',
    source: encoding,
    find: page =>
      when(
        charsetsOf(page).length === 0 && page.page.body.some(byte => byte > 127),
        () =>
          'The page does not declare its encoding. Add <meta charset="utf-8"> as the first element of the head.',
      ),
  },
  {
    id: 'charset/not-utf8',
    severity: 'info',
    finds: 'A declared encoding other than UTF-8',
    reason: 'The standard requires UTF-8. Other encodings cause errors in forms, scripts and URLs.',
    source: encoding,
    find: page => {
      const [declared] = charsetsOf(page)
      if (declared === undefined || /^utf-?8$/i.test(declared.label)) return null
      return {
        message: `The page declares ${declared.label}. Serve it as UTF-8.`,
        samples: [shown(declared)],
      }
    },
  },
  {
    id: 'charset/conflict',
    severity: 'warning',
    finds: 'Different encodings in Content-Type and meta element',
    reason: "Browsers use the header, so the page's own declaration is wrong.",
    source: encoding,
    find: page => {
      const declared = charsetsOf(page)
      const [mark] = declared
      // The byte order mark decides the order of the bytes of UTF-16 (RFC 2781, 4.3).
      const isOrdered = mark?.where === 'byte order mark' && mark.label.startsWith('utf-16')
      const compared = declared.filter(({ label }) => !isOrdered || label.toLowerCase() !== 'utf-16')
      const labels = new Set(compared.map(({ label }) => encodingOf(label)))
      return labels.size < 2
        ? null
        : among(
            declared,
            { many: 'The declared encodings differ.', remedy: 'Declare the same encoding everywhere.' },
            shown,
          )
    },
  },
  {
    id: 'charset/late',
    severity: 'warning',
    finds:
      'A meta element with the encoding that ends after the first 1,024 bytes, and no encoding in Content-Type',
    reason: 'Browsers search only there, and otherwise restart parsing or guess.',
    source: encoding,
    find: page => {
      const at = lateCharset(page)
      return when(
        at !== null,
        () => `The encoding is declared at byte ${at}. Declare it in the first element of the head.`,
      )
    },
  },
  {
    id: 'charset/undecodable',
    severity: 'warning',
    finds: "Replacement characters (U+FFFD) in the text: bytes that are invalid in the page's encoding",
    reason: 'Readers see question marks instead.',
    source: encoding,
    find: page => {
      const { visibleText: text } = page.index
      const found = text.includes('\ufffd') && !isUtf8(page.page.body) ? [...text.matchAll(/\ufffd+/g)] : []
      return among(
        found,
        {
          one: "1 character is invalid in the page's encoding.",
          many: "{n} characters are invalid in the page's encoding.",
          remedy: 'Correct the encoding or its declaration.',
        },
        ({ index = 0 }) => text.slice(Math.max(0, index - 20), index + 20),
      )
    },
  },
]

/** One encoding has several labels (WHATWG Encoding, 4.2). */
function encodingOf(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return label.toLowerCase()
  }
}

/** Returns whether the bytes are valid UTF-8. If so, a replacement character is part of the text as written. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const shown = ({ label, where }: Declared): string => `${where}: ${label}`
