/** Collects how a run treated each host from its events, because its state does not keep that after its end. */
import { type HostFacts, maxRulesShown } from '@tidemark/contracts/http/crawl-policy'
import type { FoundUrl, RunEvent, RunEventData } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { crawlDelayMs } from '@tidemark/robots/crawl-delay'
import { originOf } from '../run.ts'
import type { Stored } from './history.ts'

export type Hosts = {
  /** The settings of the run; null: none of its events was added. */
  settings(): Pick<RunSettings, 'respectRobots' | 'userAgent' | 'robotsToken' | 'delayMs'> | null
  /** The hosts in the order in which the run found them. */
  found(): HostFacts[]
  /** Adds the events of one commit. Add commits in their order. */
  add(stored: Stored): void
}

export function collectHosts(): Hosts {
  const hosts = new Map<string, HostFacts>()
  /** URLs of the seeds by key. */
  const seeds = new Map<string, string>()
  const failures = countFailures()
  let settings: RunSettings | null = null

  function hostOf(origin: string): HostFacts {
    const known = hosts.get(origin)
    if (known) return known
    const host = unread(origin, settings?.delayMs ?? 0)
    hosts.set(origin, host)
    return host
  }

  function read({ origin, ...rest }: RunEventData<'RobotsRead'>, at: string): void {
    const host = hostOf(origin)
    host.robots = robotsOf(rest, at)
    const own = settings?.delayMs ?? 0
    host.delay_ms = settings?.respectRobots ? Math.max(own, crawlDelayMs(rest.group)) : own
  }

  function admit({ key, url, depth }: FoundUrl): void {
    hostOf(originOf(url))
    if (depth === 0) seeds.set(key, url)
  }

  /** Records a seed whose robots.txt could not be fetched: it fails instead of being skipped. */
  function fail(key: string): void {
    const seed = seeds.get(key)
    const host = seed === undefined ? undefined : hostOf(originOf(seed))
    failures.add(host?.robots?.verdict === 'unreachable' ? host.not_requested : null)
  }

  function addOne({ type, data }: RunEvent, at: string): void {
    if (type === 'RunQueued') settings = data.settings
    if (type === 'PagesAdmitted') data.pages.forEach(admit)
    if (type === 'PagesFailed') for (const { key } of data.pages) fail(key)
    if (type === 'RunReopened') failures.retry(data.retried)
    if (type === 'RobotsRead') read(data, at)
    if (type === 'RobotsFailed')
      hostOf(data.origin).robots = { ...unreachable, reason: data.reason, decided_at: at }
    if (type !== 'PagesSkipped' || data.reason === 'redirect_out_of_scope') return
    for (const { url } of data.pages) hostOf(originOf(url)).not_requested[data.reason]++
  }

  return {
    settings: () => settings,
    found: () => [...hosts.values()],
    add({ commit: { events, at } }) {
      for (const event of events) addOne(event, at)
    },
  }
}

/** Counts the failed URLs that robots.txt withheld, until a client retries them. */
function countFailures() {
  /** The count of each failure in order; null if the URL was requested. */
  const counts: (HostFacts['not_requested'] | null)[] = []
  return {
    add(count: HostFacts['not_requested'] | null): void {
      counts.push(count)
      if (count !== null) count.robots_unreachable++
    },
    /** Removes the first `retried` failures, because a client retries them. */
    retry(retried: number): void {
      for (const count of counts.splice(0, retried)) if (count !== null) count.robots_unreachable--
    },
  }
}

const unread = (origin: string, delay_ms: number): HostFacts => ({
  ...{ origin, robots: null, delay_ms },
  not_requested: { robots: 0, robots_unreachable: 0 },
})

const unreachable = {
  verdict: 'unreachable',
  status: null,
  body_hash: null,
  agent: null,
  crawl_delay: null,
  rules: [],
  rule_count: 0,
} as const satisfies Partial<HostFacts['robots']>

const robotsOf = (
  { status, verdict, group, bodyHash }: Omit<RunEventData<'RobotsRead'>, 'origin'>,
  at: string,
): HostFacts['robots'] => ({
  verdict,
  status,
  reason: null,
  decided_at: at,
  body_hash: bodyHash,
  agent: group.agent ?? null,
  crawl_delay: group.crawlDelay,
  rules: group.rules.slice(0, maxRulesShown).map(({ allow, pattern }) => ({ allow, pattern })),
  rule_count: group.rules.length,
})
