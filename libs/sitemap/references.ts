/**
 * Decodes what XML knows without a DTD: five names, and characters by number (XML 1.0, 4.1 and 4.6). A name that a
 * document declares itself stays as it stands there, so that no entity can grow or reach for a file.
 */

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

/** A bare `&` is an ampersand: many write their queries so. */
export const decodeReferences = (text: string): string =>
  text.includes('&') ? text.replace(reference, character) : text

function character(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name] ?? whole
  const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return point === 0 || point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point).toWellFormed()
}
