/** Reduces links of a page or a client to distinct links, and to one request for each page behind them. */
import type { LinkKind, LinkReason, LinkStatus } from '@tidemark/contracts/http/actors/check-links'
import { shownAddress, unreadable } from '../../../http/domain/address.ts'

/** `isUnreadable`: the sent text cannot be an address. */
export type Link = { url: string; kind?: LinkKind; isUnreadable?: true }
export type Settled = { status: LinkStatus; reason: LinkReason; error: string }

/** A page that is requested once, whatever fragments its links have. */
export type Target = { url: string; host: string; anchors: string[] }

export type Listed = {
  link: Link
  /** Why no request is needed. */
  settled?: Settled
  target?: Target
  /** The anchor that the page should have. */
  anchor?: string
}

export type LinkList = {
  listed: Listed[]
  targets: Target[]
  /** Number of links that were listed before. */
  repeated: number
}

/** Returns the links of a client's list, which may contain any text. */
export const linksOf = (sent: readonly string[]): Link[] =>
  sent.map(text => ({ url: shownAddress(text), ...(unreadable(text) !== null && { isUnreadable: true }) }))

export function listOf(links: readonly Link[]): LinkList {
  const listed = new Map<string, Listed>()
  const targets = new Map<string, Target>()
  for (const link of links) {
    const url = link.isUnreadable ? null : URL.parse(link.url)
    const name = url?.href ?? link.url
    if (!listed.has(name))
      listed.set(name, url === null ? { link, settled: noAddress } : read(link, url, targets))
  }
  return {
    listed: [...listed.values()],
    targets: [...targets.values()],
    repeated: links.length - listed.size,
  }
}

function read(link: Link, url: URL, targets: Map<string, Target>): Listed {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { link, settled: ofScheme(url.protocol) }
  const anchor = anchorIn(url.hash)
  url.hash = ''
  const target = targets.get(url.href) ?? { url: url.href, host: url.host, anchors: [] }
  targets.set(target.url, target)
  if (anchor === null) return { link, target }
  target.anchors.push(anchor)
  return { link, target, anchor }
}

/** Orders targets round-robin by host, so that other hosts are checked during the pauses of one. */
export function spread(targets: readonly Target[]): Target[] {
  const rounds: Target[][] = []
  const seen = new Map<string, number>()
  for (const target of targets) {
    const nth = seen.get(target.host) ?? 0
    seen.set(target.host, nth + 1)
    rounds[nth] ??= []
    rounds[nth].push(target)
  }
  return rounds.flat()
}

/**
 * Returns the anchor that a fragment names. Returns null for fragments without an anchor: the top, a text fragment
 * (`:~:text=`), or a route of a script (`#/…`, `#!…`).
 */
export function anchorIn(hash: string): string | null {
  const [name = ''] = hash.slice(1).split(':~:')
  return name === '' || name.toLowerCase() === 'top' || /^[/!]/.test(name) ? null : name
}

const noAddress: Settled = { status: 'broken', reason: 'bad_url', error: 'It is not a valid URL.' }

const ofScheme = (protocol: string): Settled => ({
  status: 'excluded',
  reason: 'scheme',
  error: `Addresses that begin with ${protocol} are not checked.`,
})
