/** The base of the links of a page. */
import type { Document } from 'domhandler'
import { attribute } from './attribute.ts'
import { walk } from './walk.ts'

/** Returns the address of the first `<base>` with one, else that of the page (WHATWG HTML, 2.4.3). */
export function baseOf(document: Document, url: string): string {
  let base: string | null = null
  walk(document, {
    enter: element => {
      const inert = element.name === 'template' || element.namespace !== undefined
      if (base === null && !inert && element.name === 'base') base = attribute(element, 'href')
      return base === null && !inert && element.name !== 'body'
    },
  })
  const address = base === null ? null : URL.parse(base, url)
  return address === null || /^(?:data|javascript):$/.test(address.protocol) ? url : address.href
}
