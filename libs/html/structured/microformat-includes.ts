/** Parts of a page that an older microformat takes in from elsewhere: the include pattern, `itemref`, table headers. */
import type { Element } from 'domhandler'
import { wordsAsWritten } from './attributes.ts'

/** Ids that the element of an item names itself. */
export function referredBy({ name, attribs }: Element): string[] {
  const isCell = name === 'td' || name === 'th'
  return [...wordsAsWritten(attribs.itemref), ...(isCell ? wordsAsWritten(attribs.headers) : [])]
}

/** The id that an element of class `include` stands for, or null. */
export function includedBy({ name, attribs }: Element, classes: readonly string[]): string | null {
  if (!classes.includes('include')) return null
  const address = name === 'a' ? attribs.href : name === 'object' ? attribs.data : undefined
  return address?.startsWith('#') ? address.slice(1) : null
}
