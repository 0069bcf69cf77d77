/**
 * Random pairs of runs with everything that decides how their pages differ, and a set model of the class of each page.
 * The model shares no code with the comparison that it checks.
 */
import fc from 'fast-check'

type Row = { status: number; hash: string; blocked: boolean; bytes: number; links: number[] }
/**
 * One URL in one run: a page, or, for a URL without a page, the decisions of the run in their order. `to` is the number
 * of the URL to which it redirected.
 */
type Slot = { row: Row } | { causes: string[]; to: number }
export type Side = {
  slots: Slot[]
  end: 'exhausted' | 'max_pages' | 'running' | 'cancelled' | 'quota' | 'time_limit' | 'failed'
  isFull: boolean
  /**
   * The sitemap in this run. `retried`: it failed, and was read later. `faulty`: only a part was read. `left`:
   * `max_pages` left it unread. `older`: its state as it may be in a run of an earlier version, which read only another
   * sitemap. null: the run never knew it.
   */
  sitemap: 'read' | 'failed' | 'retried' | 'faulty' | 'left' | 'older' | null
  keepsBodies: boolean
}
export type Pair = { old: Side; fresh: Side }

export const urls = 6

const row = fc.record({
  status: fc.constantFrom(200, 200, 200, 203, 401, 403, 404, 404, 410, 429, 500, 503),
  hash: fc.constantFrom('a', 'a', 'b'),
  blocked: fc.constant<boolean>(false),
  bytes: fc.constantFrom(9, 9, 9, 0),
  links: fc.array(fc.nat(urls - 1), { maxLength: 3 }),
})
const anyRow = fc.oneof(
  { weight: 6, arbitrary: row },
  { weight: 1, arbitrary: row.map(page => ({ ...page, blocked: true })) },
)
const cause = fc.constantFrom('timeout', 'dns', 'tls', 'robots', 'trap', 'max_pages', 'depth', 'redirected')
const slot: fc.Arbitrary<Slot> = fc.oneof(
  { weight: 6, arbitrary: anyRow.map(row => ({ row })) },
  { weight: 3, arbitrary: fc.constant<Slot>({ causes: [], to: 0 }) },
  {
    weight: 1,
    arbitrary: fc.record({
      causes: fc.uniqueArray(cause, { minLength: 1, maxLength: 2 }),
      to: fc.nat(urls - 1),
    }),
  },
  { weight: 1, arbitrary: fc.nat(urls - 1).map(to => ({ causes: ['redirected'], to })) },
)
const side: fc.Arbitrary<Side> = fc.record({
  slots: fc.array(slot, { minLength: urls, maxLength: urls }),
  end: fc.oneof(
    { weight: 8, arbitrary: fc.constant('exhausted' as const) },
    { weight: 2, arbitrary: fc.constant('max_pages' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('running', 'cancelled', 'quota', 'time_limit', 'failed'),
    },
  ),
  isFull: fc.constantFrom(...Array<boolean>(11).fill(false), true),
  sitemap: fc.constantFrom(null, null, null, 'read', 'failed', 'retried', 'faulty', 'left', 'older'),
  keepsBodies: fc.constantFrom(true, true, true, false),
})
export const pair: fc.Arbitrary<Pair> = fc.record({ old: side, fresh: side })

/** The class of each page of either run, by the number of its URL; with the cause for unread pages. */
export function modelOf({ old, fresh }: Pair): Map<number, string> {
  const classes = new Map<number, string>()
  const missedByNew = missed(old, fresh)
  const missedByOld = missed(fresh, old)
  for (let n = 0; n < urls; n++) {
    const [before, after] = [pageOf(old, n), pageOf(fresh, n)]
    if (before === null && after === null) continue
    const was = before === null ? (missedByOld.get(n) ?? 'none') : stateOf(before)
    const is = after === null ? (missedByNew.get(n) ?? 'none') : stateOf(after)
    classes.set(n, classOf(was, is, before, after))
  }
  return classes
}

/** `was` and `is` are `page`, `none`, or the cause why the state of the page is unknown. */
function classOf(was: string, is: string, before: Row | null, after: Row | null): string {
  const isKnown = (state: string) => state === 'page' || state === 'none'
  // A challenge comes before causes that hide a page from the other run.
  if (before !== null && !isKnown(was)) return `not_compared ${was}`
  if (before === null && after !== null && !isKnown(is)) return `not_compared ${is}`
  if (!isKnown(was)) return `not_compared ${was}`
  if (!isKnown(is)) return `not_revisited ${is}`
  if (was === 'none') return is === 'none' ? 'unchanged' : 'added'
  if (is === 'none') return 'removed'
  return before?.hash === after?.hash && before?.status === after?.status ? 'unchanged' : 'changed'
}

const pageOf = ({ slots }: Side, n: number): Row | null => {
  const slot = slots[n]
  return slot && 'row' in slot ? slot.row : null
}
/** Returns the last decision about a URL. `max_pages` and `depth` count only if there is no other decision. */
const lastOf = ({ slots }: Side, n: number): string | undefined => {
  const slot = slots[n]
  const causes = slot && 'causes' in slot ? slot.causes : []
  const final = causes.filter(cause => cause !== 'max_pages' && cause !== 'depth')
  return (final.length > 0 ? final : causes).at(-1)
}

/** Returns why the side has no page at the end of the redirects of a URL, or null if it has a page. */
function endOfRedirects(side: Side, from: number, otherwise: string): string | null {
  const visited = new Set<number>()
  for (let n = from; !visited.has(n); ) {
    visited.add(n)
    const slot = side.slots[n]
    if (slot === undefined) return otherwise
    if ('row' in slot) return slot.row.blocked ? 'blocked' : null
    const last = lastOf(side, n)
    if (last !== 'redirected') return last ?? otherwise
    n = slot.to
  }
  return otherwise
}

const stateOf = ({ status, blocked }: Row): string => {
  if (blocked) return 'blocked'
  return status === 404 || status === 410 ? 'none' : 'page'
}
const hidesLinks = ({ status, blocked, bytes }: Row): boolean =>
  blocked || bytes === 0 || (status >= 400 && status !== 404 && status !== 410)

/** Returns why `blind` may have missed pages that only `sighted` has, by the number of their URLs. */
function missed(sighted: Side, blind: Side): Map<number, string> {
  const ofRun = causeOfRun(sighted, blind)
  const causes = new Map<number, string>()
  const wanted = new Set<number>()
  const closed = new Set<number>()
  for (let n = 0; n < urls; n++) {
    const [page, other] = [pageOf(sighted, n), pageOf(blind, n)]
    if (page === null) continue
    if (other !== null) {
      if (hidesLinks(other) && !hidesLinks(page)) closed.add(n)
      continue
    }
    if (page.blocked) continue
    const last = lastOf(blind, n)
    if (last === undefined) {
      wanted.add(n)
      continue
    }
    const cause = last === 'redirected' ? endOfRedirects(blind, n, ofRun ?? 'unknown') : last
    if (cause === null) continue
    causes.set(n, cause)
    closed.add(n)
  }
  if (ofRun !== null) for (const n of wanted) causes.set(n, ofRun)
  else if (closed.size > 0 && !keepsLinks(sighted)) for (const n of wanted) causes.set(n, 'unknown')
  else for (const n of reachable(sighted, closed, wanted)) causes.set(n, 'unknown')
  return causes
}

/** Returns whether the run has the links of all its pages. A run without pages has no body to keep. */
const keepsLinks = ({ slots, keepsBodies }: Side): boolean =>
  keepsBodies || !slots.some(slot => 'row' in slot)

function causeOfRun(sighted: Side, blind: Side): string | null {
  if (blind.end === 'running') return 'pending'
  if (blind.end === 'failed') return 'run_failed'
  if (blind.end !== 'exhausted' && blind.end !== 'max_pages') return blind.end
  if (blind.isFull) return 'frontier_full'
  const isWhole = sighted.sitemap === 'read' || sighted.sitemap === 'retried'
  const hasSitemap = isWhole || sighted.sitemap === 'faulty'
  if (blind.sitemap === 'failed' && hasSitemap) return 'sitemap'
  if (blind.sitemap === 'faulty' && isWhole) return 'sitemap'
  if (blind.end !== 'max_pages') return null
  const mayLeave = blind.sitemap === 'left' || blind.sitemap === 'older'
  // A sitemap that only the other run knows may have another name in this run.
  const mayBeRenamed = blind.sitemap === 'left' && sighted.sitemap === 'older'
  return (mayLeave && hasSitemap) || mayBeRenamed ? 'max_pages' : null
}

/** Returns the page at which a client of the side arrives from a URL, by any redirects that the side has seen. */
function pageBehind(side: Side, from: number): number | null {
  const visited = new Set<number>()
  for (let n = from; !visited.has(n); ) {
    visited.add(n)
    const slot = side.slots[n]
    if (slot === undefined) return null
    if ('row' in slot) return n
    if (!slot.causes.includes('redirected')) return null
    n = slot.to
  }
  return null
}

/** Returns the wanted pages that links reach from these pages, through wanted pages only. */
function reachable(side: Side, from: Set<number>, wanted: Set<number>): Set<number> {
  const found = new Set<number>()
  const walk = (n: number) => {
    for (const link of pageOf(side, n)?.links ?? []) {
      const to = pageBehind(side, link)
      if (to === null || !wanted.has(to) || found.has(to)) continue
      found.add(to)
      walk(to)
    }
  }
  for (const n of from) walk(n)
  return found
}
