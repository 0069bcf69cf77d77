/** All that a page links to or is made of, as the actor `check-links` checks it. */
import type { PageLinks } from '@tidemark/contracts/ask/check-link'
import type { LinkKind } from '@tidemark/contracts/http/actor-check-links'
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { baseOf } from '@tidemark/html/tree/base-of'
import { walk } from '@tidemark/html/tree/walk'
import { urlKey } from '@tidemark/url/key'
import { longestUrl } from '@tidemark/url/normal-form'
import type { Element } from 'domhandler'
import type { SeenPage } from './seen-page.ts'

const sources: Readonly<Record<string, { attribute: string; kind: LinkKind }>> = {
  a: { attribute: 'href', kind: 'link' },
  area: { attribute: 'href', kind: 'link' },
  img: { attribute: 'src', kind: 'image' },
  script: { attribute: 'src', kind: 'script' },
  link: { attribute: 'href', kind: 'stylesheet' },
}

/** Of all addresses together: where the base is long, few bytes of a page stand for many more. */
const mostCharacters = 2 * 1024 ** 2

/**
 * Each address once. What stands in the page itself (`data:`) is no link of it, nor is what leads to where the reader
 * is (`#`), nor what is longer than any address may be.
 * @param most addresses that are told; the others are counted
 */
export function pageLinks({ page, html }: SeenPage, most: number): PageLinks {
  const links: PageLinks['links'] = []
  if (html === null) return { links, more: 0 }
  const base = baseOf(html.tree, page.url)
  /** Keys, for the addresses beyond those that are told have no bound but the page. */
  const known = new Set<string>()
  let left = mostCharacters
  let more = 0
  walk(html.tree, {
    enter: element => {
      const link = linkOf(element, base)
      if (link === null) return element.name !== 'template'
      const key = urlKey(link.url)
      if (known.has(key)) return true
      known.add(key)
      left -= link.url.length
      if (links.length < most && left >= 0) links.push(link)
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
  if (written === '' || leadsNowhere.test(written) || written.length > longestUrl) return null
  const url = URL.parse(written, base)?.href ?? written
  return url.length > longestUrl ? null : { url, kind: source.kind }
}

const leadsNowhere = /^(?:#(?:top)?$|data:|blob:|about:)/i
