/** The versions of a page in other languages that it names. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { normalForm } from '@tidemark/url/normal-form'
import type { PageIndex } from './page-index.ts'

/** `href` as it stands; `target` its normal form, null where it is no address of the web. */
export type Alternate = { code: string; href: string; target: string | null }

/** A feed or a style sheet is no version of the page. */
export function alternatesIn(index: PageIndex, base: string): Alternate[] {
  return index.of('link').flatMap(({ element }) => {
    const code = attribute(element, 'hreflang')?.trim()
    if (code === undefined || code === '' || !hasWord(element, 'rel', 'alternate')) return []
    if (hasWord(element, 'rel', 'stylesheet') || attribute(element, 'type')?.includes('xml')) return []
    const href = (attribute(element, 'href') ?? '').trim()
    return [{ code, href, target: normalForm(href, base) }]
  })
}
