/** Rules for the document: its rendering mode and obsolete elements. */
import type { AuditedPage } from './audited-page.ts'
import { among, type Rule, when, withSample } from './rule.ts'
import { html } from './sources.ts'

const doctype = html('the DOCTYPE', 'syntax.html#the-doctype')

export const documentRules: readonly Rule[] = [
  {
    id: 'html/doctype-missing',
    severity: 'warning',
    finds: 'No DOCTYPE',
    reason: 'Browsers then use quirks mode, with the layout rules of the 1990s.',
    source: doctype,
    find: page =>
      when(doctypeOf(page) === null, () => 'The page has no DOCTYPE. Begin it with <!doctype html>.'),
  },
  {
    id: 'html/quirks-mode',
    severity: 'warning',
    finds: 'A DOCTYPE of HTML 4 Transitional or older that triggers quirks mode',
    reason: 'Browsers then use the layout rules of the 1990s.',
    source: html('the initial insertion mode', 'parsing.html#the-initial-insertion-mode'),
    find: page => {
      const stated = doctypeOf(page)
      return withSample(
        'The DOCTYPE triggers quirks mode. Begin the page with <!doctype html>.',
        stated !== null && isQuirky(stated) ? stated : null,
      )
    },
  },
  {
    id: 'html/obsolete-elements',
    severity: 'info',
    finds: 'Elements that the HTML standard declares obsolete, such as font, center and frameset',
    reason: 'Browsers support them for old pages only. Style sheets replace them.',
    source: html('non-conforming features', 'obsolete.html#non-conforming-features'),
    find: ({ index }) => {
      const found = obsolete.flatMap(name => {
        const { length } = index.of(name)
        return length > 0 ? [{ name, length }] : []
      })
      const all = found.reduce((sum, { length }) => sum + length, 0)
      return among(
        found,
        {
          one: 'The page has 1 obsolete element.',
          many: 'The page has {n} obsolete elements.',
          remedy: 'Use style sheets.',
        },
        ({ name, length }) => `<${name}>: ${length}`,
        all,
      )
    },
  },
  {
    id: 'html/frames',
    severity: 'warning',
    finds: 'A frameset',
    reason: 'The page itself has no content, and search engines index the frames as separate pages.',
    source: html('non-conforming features', 'obsolete.html#frameset'),
    find: ({ index }) =>
      when(index.of('frameset').length > 0, () => 'The page is a frameset. Put its content into one page.'),
  },
]

const obsolete = (
  'acronym applet basefont bgsound big center dir font frame frameset isindex keygen listing menuitem multicol ' +
  'nextid nobr noembed noframes plaintext spacer strike tt xmp'
).split(' ')

const before = /(?:\ufeff|\s|<\?[^>]{0,500}\?>)*/y
const doctypeForm = /<!doctype[^>]{0,500}>/iy

/** Returns the DOCTYPE with white space collapsed, or null if other content precedes it. */
function doctypeOf({ source }: AuditedPage): string | null {
  for (let at = 0; ; ) {
    before.lastIndex = at
    at += before.exec(source)?.[0].length ?? 0
    if (!source.startsWith('<!--', at)) {
      doctypeForm.lastIndex = at
      return doctypeForm.exec(source)?.[0].replace(/\s+/g, ' ') ?? null
    }
    const end = source.indexOf('-->', at)
    if (end === -1) return null
    at = end + 3
  }
}

/** WHATWG HTML, 13.2.6.4.1, reduced to the DOCTYPEs that occur on the web. */
function isQuirky(stated: string): boolean {
  if (!/^<!doctype\s+html\b/i.test(stated)) return true
  if (!/\bpublic\b/i.test(stated)) return false
  const hasDtd = /https?:\/\/[^"']*\.dtd/i.test(stated)
  return quirkyIds.some(({ id, alsoWithDtd }) => id.test(stated) && (alsoWithDtd || !hasDtd))
}

/** Public identifiers that select quirks mode, some only if the address of a DTD is missing. */
const quirkyIds = [
  { id: /-\/\/ietf\/\/dtd html/i, alsoWithDtd: true },
  { id: /-\/\/w3c\/\/dtd html (?:2|3)/i, alsoWithDtd: true },
  { id: /-\/\/w3c\/\/dtd html 4\.0 (?:transitional|frameset)/i, alsoWithDtd: true },
  { id: /-\/\/w3c\/\/dtd html 4\.01 (?:transitional|frameset)/i, alsoWithDtd: false },
]
