/** All links and resources of a page, as the actor `check-links` checks them. */

import type { LinkKind } from '@tidemark/contracts/http/actors/check-links'
import type { PageLinks } from '@tidemark/contracts/rpc/check-link'
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { baseOf } from '@tidemark/html/tree/base-of'
import { walk } from '@tidemark/html/tree/walk'
import { urlKey } from '@tidemark/url/key'
import { maxUrlLength } from '@tidemark/url/normal-form'
import type { Element } from 'domhandler'
import type { SeenPage } from './seen-page.ts'

const sources: Readonly<Record<string, { attribute: string; kind: LinkKind }>> = {
  a: { attribute: 'href', kind: 'link' },
  area: { attribute: 'href', kind: 'link' },
  img: { attribute: 'src', kind: 'image' },
  script: { attribute: 'src', kind: 'script' },
  link: { attribute: 'href', kind: 'stylesheet' },
}

/** Maximum characters of all URLs: with a long base URL, few bytes of a page expand to many. */
const maxCharacters = 2 * 1024 ** 2

/**
 * Returns each URL once. Embedded data (`data:`), links to the top (`#`) and oversized URLs are not links.
 * @param maxLinks maximum number of returned URLs; further ones are only counted
 */
export function pageLinks({ page, html }: SeenPage, maxLinks: number): PageLinks {
  const links: PageLinks['links'] = []
  if (html === null) return { links, more: 0 }
  const base = baseOf(html.tree, page.url)
  /** URL keys, because the number of further URLs is limited only by the size of the page. */
  const known = new Set<string>()
  let left = maxCharacters
  let more = 0
  walk(html.tree, {
    enter: element => {
      const link = linkOf(element, base)
      if (link === null) return element.name !== 'template'
      const key = urlKey(link.url)
      if (known.has(key)) return true
      known.add(key)
      left -= link.url.length
      if (links.length < maxLinks && left >= 0) links.push(link)
      else more += 1
      return true
    },
  })
  return { links, more }
}

function linkOf(element: Element, base: string): PageLinks['links'][number] | null {
  const source = Object.hasOwn(sources, element.name) ? sources[element.name] : undefined
  if (source === undefined) return null
  if (element.name === 'link' && !hasWord(element, 'rel', 'stylesheet')) return null
  const written = attribute(element, source.attribute)?.trim() ?? ''
  if (written === '' || leadsNowhere.test(written) || written.length > maxUrlLength) return null
  const url = URL.parse(written, base)?.href ?? written
  return url.length > maxUrlLength ? null : { url, kind: source.kind }
}

const leadsNowhere = /^(?:#(?:top)?$|data:|blob:|about:)/i
