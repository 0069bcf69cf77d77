/** Alternate versions of a page in other languages. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { normalForm } from '@tidemark/url/normal-form'
import type { PageIndex } from './page-index.ts'

export type Alternate = {
  code: string
  /** As written. */
  href: string
  /** Its normal form, or null if it is not a valid http(s) URL. */
  target: string | null
  isInHead: boolean
}

/** Feeds and style sheets are not versions of the page. */
export function alternatesIn(index: PageIndex, base: string): Alternate[] {
  return index.of('link').flatMap(({ element, isInHead }) => {
    const code = attribute(element, 'hreflang')?.trim()
    if (code === undefined || code === '' || !hasWord(element, 'rel', 'alternate')) return []
    if (hasWord(element, 'rel', 'stylesheet') || attribute(element, 'type')?.includes('xml')) return []
    const href = (attribute(element, 'href') ?? '').trim()
    return [{ code, href, target: normalForm(href, base), isInHead }]
  })
}
