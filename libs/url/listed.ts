/** The URLs that a client lists besides the seed of a crawl. */
import { urlKey } from './key.ts'
import { normalForm } from './normal-form.ts'

/** Returns the listed URLs by key, each once and without the seed. The list is in normal form. */
export function listedUrls(seed: string, urls: readonly string[] = []): Map<string, string> {
  const listed = new Map(urls.map(url => [urlKey(url), url]))
  listed.delete(urlKey(normalForm(seed) ?? seed))
  return listed
}
