/**
 * What a run would make of URLs that are known before it: it is begun in memory only, told what robots.txt says, and
 * shown the URLs; so each verdict is the one that the run itself would come to.
 */
import type { JudgeUrls, JudgeUrlsAnswer } from '@tidemark/contracts/ask/judge'
import type { EstimatedOut } from '@tidemark/contracts/http/estimate'
import type { RunEvent } from '@tidemark/contracts/run'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { PathFilter } from '@tidemark/url/path-filter'
import { inScope, scopeOf } from '@tidemark/url/scope'
import { type Circumstances, type Decision, deciding } from './decision.ts'
import { discover } from './discover.ts'
import { evolve } from './evolve.ts'
import { filterOf } from './filter.ts'
import { delayOf } from './orders.ts'
import { attemptsOf } from './retry.ts'
import { settleRobots } from './robots.ts'
import { originOf, type Running, unknown } from './run.ts'

const shown = 20
/** URLs that are judged at a time. */
const perStep = 100

type Settled = { admitted: string[]; out: Map<string, EstimatedOut[]> }

/** Judges in steps that take a few milliseconds, where a pattern is costly to search some ten; most take much less. */
export function* forecastSteps(
  { url, settings, robots, urls }: JudgeUrls,
  circumstances: Circumstances,
): Generator<void, JudgeUrlsAnswer> {
  const seed = normalForm(url) ?? url
  const run = begun(seed, settings, circumstances.at)
  const settled: Settled = { admitted: [], out: new Map() }
  const take = (steps: (decision: Decision) => void) => {
    for (const event of deciding(run, circumstances, steps).events) settle(settled, event)
  }
  take(decision => {
    for (const answer of robots) tellRobots(decision, answer)
    if (settings.seedKind !== 'sitemap') find(decision, seed, 0)
  })
  const filter = filterOf(settings)
  for (let at = 0; at < urls.length; at += perStep) {
    const some = urls.slice(at, at + perStep).filter(found => inScope(run.scope, found))
    if (filter) yield* searched(filter, some)
    take(decision => {
      for (const found of some) find(decision, found, 1)
    })
    yield
  }
  return {
    judged: run.places.size,
    admitted: settled.admitted.length,
    in: settled.admitted.slice(0, shown),
    out: ofEvery([...settled.out.values()]),
    delayMs: delayOf(run, originOf(seed)),
  }
}

/** The filter remembers what it found. */
function* searched(filter: PathFilter, urls: string[]): Generator<void> {
  for (const url of urls) {
    yield* filter.judgeSteps(url)
    yield
  }
}

/** The run's identity counts for nothing here: none of its events is appended. */
function begun(url: string, settings: JudgeUrls['settings'], at: string): Running {
  const queued: RunEvent = {
    type: 'RunQueued',
    data: { runId: 1, projectId: 1, tier: 'free', url, settings },
  }
  const started: RunEvent = { type: 'RunStarted', data: { scope: scopeOf(url, settings.subdomains) } }
  return evolve(evolve(unknown, queued, at), started, at) as Running
}

function tellRobots(decision: Decision, { origin, status, body }: JudgeUrls['robots'][number]): void {
  // The last attempt: whatever was answered, nobody is asked again.
  decision.emit({ type: 'RobotsOrdered', data: { origin, attempt: attemptsOf('robots') } })
  settleRobots(decision, { type: 'robots', origin, status, body, bodyHash: '' })
}

const find = (decision: Decision, url: string, depth: number): void =>
  discover(decision, { key: urlKey(url), url, depth, from: null, hops: 0 })

function settle({ admitted, out }: Settled, event: RunEvent): void {
  if (event.type === 'PagesAdmitted') for (const { url } of event.data.pages) admitted.push(url)
  for (const left of leftOutBy(event)) {
    const same = out.get(left.rule) ?? []
    if (same.length < shown) out.set(left.rule, [...same, left])
  }
}

function leftOutBy(event: RunEvent): EstimatedOut[] {
  switch (event.type) {
    case 'PagesDeferred':
      return event.data.pages.map(({ url }) => ({ url, rule: event.data.limit, because: null }))
    case 'PagesSkipped':
      return event.data.pages.map(({ url, rule }) => ({ url, rule: event.data.reason, because: rule }))
    case 'PagesFiltered':
      return event.data.pages.map(({ url, pattern }) => ({ url, rule: event.data.by, because: pattern }))
    case 'PagesPruned':
      return event.data.pages.map(({ url, because }) => ({ url, rule: event.data.rule, because }))
    default:
      return []
  }
}

/** Of each list in turn, as many as are shown. */
function ofEvery(lists: EstimatedOut[][]): EstimatedOut[] {
  const places = Array.from({ length: shown }, (_, n) => n)
  return places.flatMap(n => lists.flatMap(list => list[n] ?? [])).slice(0, shown)
}
