/** The pages of a run as a list in the order of their URLs, and what of it the question for their link graph carries. */
import { maxRedirectsOfGraph } from '@tidemark/contracts/rpc/link-graph'

/** Redirects that led to a page one after another are followed so far; no run follows more. */
const maxHops = 20
const keyBytes = 8

/** URL keys to their places in the list. */
export type Places = ReadonlyMap<string, number>

export const placesOf = (keys: readonly string[]): Places => new Map(keys.map((key, place) => [key, place]))

/**
 * The place of the page to which a URL leads, by itself or by redirects; undefined where to none.
 * @param redirects URL keys to where each led
 */
export function placeBehind(
  key: string,
  places: Places,
  redirects: ReadonlyMap<string, string>,
): number | undefined {
  let at: string | undefined = key
  for (let hops = 0; at !== undefined && hops <= maxHops; hops++) {
    const place = places.get(at)
    if (place !== undefined) return place
    at = redirects.get(at)
  }
  return undefined
}

/** `RankLinks.keys` */
export const packedKeys = (keys: readonly string[]): string =>
  Buffer.concat(keys.map(key => Buffer.from(key, 'base64url'))).toString('base64')

/** `RankLinks.redirects`, and whether there were more than fit. */
export function packedRedirects(
  places: Places,
  redirects: ReadonlyMap<string, string>,
): { packed: string; isCut: boolean } {
  const parts: Buffer[] = []
  for (const key of redirects.keys()) {
    const place = placeBehind(key, places, redirects)
    if (place === undefined) continue
    if (parts.length === maxRedirectsOfGraph) return { packed: joined(parts), isCut: true }
    const part = Buffer.alloc(keyBytes + 4)
    part.write(key, 'base64url')
    part.writeUInt32BE(place, keyBytes)
    parts.push(part)
  }
  return { packed: joined(parts), isCut: false }
}

const joined = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString('base64')
