/** Finds the name of the site, and the parts of titles that only name it. */

import { wordsIn } from '../likeness-of-words.ts'
import { stringOf } from './described.ts'
import type { HeadFacts } from './head-facts.ts'

/** Returns the name of the site, from the most trusted source. */
export function siteNameOf({ metas, described }: HeadFacts): string | null {
  const stated = metas.get('og:site_name') ?? metas.get('application-name') ?? metas.get('dc.publisher')
  if (stated !== undefined) return stated
  for (const type of ['WebSite', 'NewsMediaOrganization', 'Organization']) {
    const node = described.find(({ '@type': types }) => types === type)
    const name = node === undefined ? null : stringOf(node.name)
    if (name !== null) return name
  }
  return null
}

/** Returns a function that checks whether a part of a title names the site rather than the page. */
export function siteNamer(siteName: string | null, url: string): (part: string) => boolean {
  const host = URL.parse(url)?.hostname.replace(/^www\./, '') ?? ''
  const domain = squeezed(host.split('.').slice(0, -1).join(''))
  const name = siteName === null ? '' : squeezed(siteName)
  return part => {
    const own = squeezed(part)
    if (own === '') return true
    if (own === name || own === squeezed(host)) return true
    return (
      own.length >= 3 &&
      (domain === own || domain.endsWith(own) || (domain.length >= 4 && own.startsWith(domain)))
    )
  }
}

const squeezed = (text: string): string =>
  wordsIn(text)
    .join('')
    .replace(/^the(?=.)/, '')
