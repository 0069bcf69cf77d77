/** `urls`: converts the list to normal forms without duplicates, and rejects URLs of other sites than that of `url`. */
import { normalForm } from '@tidemark/url/normal-form'
import { inScope, scopeOf } from '@tidemark/url/scope'
import { sent } from '../../http/domain/input.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { type FieldRule, without } from './field-rule.ts'

/** Maximum number of characters of all URLs in normal form, because they travel in one message. */
const maxCharacters = 2_000_000

export const listedUrls: FieldRule = (request, _, warn) => {
  const { url, urls = [], seed_kind, subdomains, max_pages } = request
  if (urls.length === 0) return without(request, 'urls')
  if (seed_kind === 'sitemap') throw refusal('urls', 'conflicting_fields', notWithSitemap)
  const seed = normalForm(url)
  // A bad seed is rejected by the rules of its own field.
  if (seed === null) return request
  const scope = scopeOf(seed, subdomains)
  const listed = new Set<string>()
  let characters = 0
  for (const [n, entry] of urls.entries()) {
    const normal = normalForm(entry)
    if (normal === null) throw refusal(`urls[${n}]`, 'bad_url', notAbsolute(n, entry))
    if (!inScope(scope, normal)) {
      throw refusal(`urls[${n}]`, 'conflicting_fields', otherHost(n, entry, scope.host))
    }
    if (!listed.has(normal)) characters += normal.length
    listed.add(normal)
  }
  if (listed.size > max_pages) warn(beyondMaxPages(listed.size, max_pages))
  if (characters > maxCharacters) throw refusal('urls', 'out_of_range', tooLong(characters))
  return { ...request, urls: [...listed] }
}

const notWithSitemap =
  'urls cannot be combined with seed_kind sitemap. Leave one of them out, or list the URLs of the sitemap.'

const notAbsolute = (n: number, entry: string) =>
  `urls[${n}] must be an absolute http:// or https:// URL; ${sent(entry)} was sent. Correct it or leave it out.`

const otherHost = (n: number, entry: string, host: string) =>
  `urls[${n}] is not at ${host}, the host of url; ${sent(entry)} was sent. Leave it out, set subdomains if it is a subdomain, or crawl it separately.`

const beyondMaxPages = (count: number, max: number) =>
  `urls has ${count} URLs and max_pages is ${max}: the last ones are not crawled`

const tooLong = (characters: number) =>
  `The URLs of urls may have 2,000,000 characters together; ${characters} were sent. Divide the list into several crawls.`
