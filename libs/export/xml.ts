/** Text in XML 1.0. */

/** Characters that XML 1.0 forbids even as escapes, or advises against. Lone surrogates have been replaced already. */
const forbidden = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu
const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Returns a text for an element or a quoted attribute. U+FFFD replaces each character that XML cannot contain. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(forbidden, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, sign => escapes[sign] as string)

export const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n'
