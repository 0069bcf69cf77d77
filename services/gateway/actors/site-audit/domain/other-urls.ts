/**
 * URLs of a run without a page, as far as links to them matter: redirects, failures, and URLs that robots.txt
 * disallows.
 */
import { maxOtherUrls } from '@tidemark/contracts/rpc/site-audit'
import { deferredCauses, marks } from '../../../read-model/domain/without-page.ts'

export type OtherKind = 'redirect' | 'loop' | 'failed' | 'blocked'

type Other = {
  key: string
  kind: OtherKind
  /** Position of the page to which it leads, or -1. */
  end: number
  /** Number of redirects from this URL. */
  hops: number
  /** Kind of the URL at the end of its redirects, if that is not a page. */
  endKind: OtherKind | null
}

/** Kind of a URL by the reason why it has no page. URLs with other reasons were never fetched, so they may work. */
const kinds: Readonly<Record<string, OtherKind>> = {
  [marks.redirected]: 'redirect',
  too_many_redirects: 'loop',
  robots: 'blocked',
  dns: 'failed',
  connect: 'failed',
  tls: 'failed',
  timeout: 'failed',
  protocol: 'failed',
}

/** Reasons that never matter here, so that they need not be read. */
export const ignoredCauses: readonly string[] = [
  marks.frontierFull,
  marks.sitemapFailed,
  marks.sitemapUnread,
  marks.sitemapFaulty,
  ...deferredCauses,
  'excluded',
  'not_included',
  'trap',
]

/** Maximum number of consecutive redirects to follow; no run follows more. */
const maxHops = 20

export class OtherUrls {
  readonly all: Other[] = []
  /** Whether there are more URLs than the maximum. */
  isCut = false
  readonly #kinds = new Map<string, OtherKind>()
  readonly #targets = new Map<string, string>()

  /**
   * Records a reason with its URL keys, and the targets of redirects. A later reason replaces an earlier one, because a URL
   * that failed may be retried. A URL that is read as a sitemap may still redirect as a page.
   */
  note(cause: string, keys: readonly string[], targets: readonly string[] | null): void {
    const kind = kinds[cause]
    for (const [n, key] of keys.entries()) {
      if (cause === marks.sitemapRead && this.#targets.has(key)) continue
      if (kind === undefined) this.#kinds.delete(key)
      else this.#kinds.set(key, kind)
      const target = targets?.[n]
      if (target !== undefined) this.#targets.set(key, target)
      else this.#targets.delete(key)
    }
  }

  /** Call it once, after all calls of `note`. @param positionOf position of a page */
  resolve(positionOf: (key: string) => number | undefined): void {
    for (const [key, kind] of this.#kinds) {
      if (positionOf(key) !== undefined) continue
      if (this.all.length === maxOtherUrls) {
        this.isCut = true
        return
      }
      this.all.push({ key, kind, ...this.#endOf(key, positionOf) })
    }
  }

  /** Returns the page behind a URL, directly or by redirects. */
  pageBehind(key: string, positionOf: (key: string) => number | undefined): number {
    return positionOf(key) ?? this.#endOf(key, positionOf).end
  }

  #endOf(key: string, positionOf: (key: string) => number | undefined): Omit<Other, 'key' | 'kind'> {
    let at = key
    let hops = 0
    for (let next = this.#targets.get(at); next !== undefined; next = this.#targets.get(at)) {
      at = next
      hops += 1
      const end = positionOf(at)
      if (end !== undefined) return { end, hops, endKind: null }
      if (hops > maxHops) return { end: -1, hops, endKind: 'loop' }
    }
    const kind = this.#kinds.get(at) ?? null
    return { end: -1, hops, endKind: kind === 'redirect' ? null : kind }
  }
}
