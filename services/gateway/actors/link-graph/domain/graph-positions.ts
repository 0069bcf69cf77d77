/** Packs the pages of a run, in the order of their URLs, into the request for their link graph. */
import { maxRedirectsOfGraph } from '@tidemark/contracts/rpc/link-graph'

/** Maximum number of consecutive redirects to follow; no run follows more. */
const maxHops = 20
const keyBytes = 8

/** URL keys and their positions in the list. */
export type Positions = ReadonlyMap<string, number>

export const positionsOf = (keys: readonly string[]): Positions =>
  new Map(keys.map((key, position) => [key, position]))

/**
 * Returns the position of the page to which a URL leads, directly or by redirects. Returns undefined for dead ends.
 * @param redirects URL keys and the key to which each redirects
 */
export function positionBehind(
  key: string,
  positions: Positions,
  redirects: ReadonlyMap<string, string>,
): number | undefined {
  let at: string | undefined = key
  for (let hops = 0; at !== undefined && hops <= maxHops; hops++) {
    const position = positions.get(at)
    if (position !== undefined) return position
    at = redirects.get(at)
  }
  return undefined
}

/** Packs URL keys into one base64 text, the form of `RankLinks.keys`. */
export const packedKeys = (keys: readonly string[]): string =>
  Buffer.concat(keys.map(key => Buffer.from(key, 'base64url'))).toString('base64')

/** Packs redirects into one base64 text, the form of `RankLinks.redirects`. `isCut`: some did not fit. */
export function packedRedirects(
  positions: Positions,
  redirects: ReadonlyMap<string, string>,
): { packed: string; isCut: boolean } {
  const parts: Buffer[] = []
  for (const key of redirects.keys()) {
    const position = positionBehind(key, positions, redirects)
    if (position === undefined) continue
    if (parts.length === maxRedirectsOfGraph) return { packed: joined(parts), isCut: true }
    const part = Buffer.alloc(keyBytes + 4)
    part.write(key, 'base64url')
    part.writeUInt32BE(position, keyBytes)
    parts.push(part)
  }
  return { packed: joined(parts), isCut: false }
}

const joined = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString('base64')
