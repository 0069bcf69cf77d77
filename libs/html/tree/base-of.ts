/** The base of the links of a page. */
import type { Document, Element } from 'domhandler'
import { attribute } from './attribute.ts'
import { walk } from './walk.ts'

/**
 * Returns the address of the first `<base>` with one, also in the body, else that of the page (WHATWG HTML, 2.4.3). A
 * base that is not a web address is ignored, because every relative link would lose its target.
 * Visits the elements up to that base, which is one cheap walk over a page without a base.
 */
export function baseOf(document: Document, url: string): string {
  let base: string | null = null
  walk(document, {
    enter: element => {
      if (element.name === 'base' && element.namespace === undefined) base = attribute(element, 'href')
      return !isInert(element)
    },
    ends: () => base !== null,
  })
  const address = base === null ? null : URL.parse(base, url)
  return address !== null && /^https?:$/.test(address.protocol) ? address.href : url
}

/** Returns whether the elements inside are not part of the page. */
const isInert = ({ name, namespace }: Element): boolean =>
  name === 'template' || name === 'noscript' || namespace !== undefined
