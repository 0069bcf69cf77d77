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
      (domain === own || domain.endsWith(own) || (domain.length >= 4 && isExtended(own, domain)))
    )
  }
}

/** Returns whether a text is a domain and words for a site or its makers. Titles may begin with the domain too. */
const isExtended = (own: string, domain: string): boolean =>
  own.startsWith(domain) && ofSites.test(own.slice(domain.length))

const ofSites =
  /^(?:online|news|blogs?|team|staff|editors?|editorial|redaktion|magazine?|magazin|press|media|forums?|community|support|help|docs|documentation|shop|store|home|homepage|official|website|site|web|wiki|group|inc|ltd|llc|gmbh|ag|co|com|net|org|de|uk|us|usa|eu|int|international|global|deutschland){0,3}$/

const squeezed = (text: string): string =>
  wordsIn(text)
    .join('')
    .replace(/^the(?=.)/, '')
