/**
 * The verdict on a history: the broken promises with the evidence. Pure. A rule returns its findings as sentences, and
 * nothing if the promise was kept.
 */
import { answersIn } from './answers.ts'
import { type History, only, type PageRow } from './history.ts'
import { politeness } from './politeness.ts'
import { falseReceipts } from './receipts.ts'
import { expectedPaths, expectedRows, forbidden } from './site.ts'

/** Expectations beyond the promises that always hold. */
export type Expectations = {
  /** The number of faults that must have happened; with fewer the run proves nothing. */
  kills: number
  /** Fetches beyond the first of each URL, as a share of the URLs. Infinity allows any number. */
  refetched: number
  /** The longest allowed time without any fetch before the last run has ended. */
  pauseMs: number
  /** Each run sends one webhook. */
  webhooks: boolean
  /** At least one message must have been redelivered; otherwise the run proves nothing. */
  redelivered: boolean
  /** At least one work message must have been published twice. */
  repeated: boolean
  /** The minimum time between two requests to one host. */
  pauseOfHostMs: number
  /** Every call has an answer, because no fault hits the processes that answer. */
  answered?: boolean
}

export type Violation = { rule: string; found: string[] }

type Ran = {
  run: number
  project: string
  host: number
  end: { status: string; page_count: number; error_count: number } | null
  /** The expected status of each page, by URL. */
  expected: Map<string, number>
  rows: PageRow[]
}
type Known = { history: History; runs: Ran[]; expectations: Expectations }

const maxShown = 5

/** Every rule, by the promise that it checks. */
const rules: Record<string, (known: Known) => string[]> = {
  'every run is done': ({ runs }) => [
    ...(runs.length === 0 ? ['there was no run'] : []),
    ...each(runs, ({ end }) => end?.status !== 'done' && `is ${end?.status ?? 'unreadable'}`),
  ],
  'no page is lost': ({ runs }) =>
    each(runs, ({ expected, rows }) => {
      const there = new Set(rows.map(({ url }) => url))
      return listed(
        'lacks',
        [...expected.keys()].filter(url => !there.has(url)),
      )
    }),
  'no page is there twice': ({ runs }) =>
    each(runs, ({ rows }) => listed('repeats', repeated(rows.map(({ url }) => url)))),
  'no page is made up': ({ runs }) =>
    each(runs, ({ expected, rows }) =>
      listed(
        'has',
        rows
          .filter(({ url, status }) => expected.get(url) !== status)
          .map(({ url, status }) => `${status} ${url}`),
      ),
    ),
  'page_count is exact': ({ runs }) =>
    each(
      runs,
      ({ end, expected }) =>
        end !== null && end.page_count !== expected.size && `reports ${end.page_count}, not ${expected.size}`,
    ),
  'no error is counted': ({ runs }) =>
    each(runs, ({ end }) => end !== null && end.error_count > 0 && `reports ${end.error_count} errors`),
  'every receipt adds up': ({ history, runs }) =>
    each(runs, ({ run, expected }) => listed('has receipts', falseReceipts(history, run, expected.size))),
  'each page is billed once': ({ history, runs }) => billing(history, runs),
  'each run sends one webhook': ({ history, runs, expectations }) =>
    expectations.webhooks ? each(runs, ({ run }) => webhooks(history, run)) : [],
  'little is fetched again': ({ history, expectations }) => {
    const { ratio, again } = refetches(history)
    return ratio > expectations.refetched ? [`${again} repeated fetches, ${(ratio * 100).toFixed(1)} %`] : []
  },
  'no crawl is stuck': ({ history, expectations }) => {
    const pauseMs = maxPause(history)
    return pauseMs > expectations.pauseMs ? [`for ${(pauseMs / 1000).toFixed(0)} s nothing was fetched`] : []
  },
  'no forbidden page is requested': ({ history }) =>
    only(history, 'hit').flatMap(({ path }) => (path.startsWith(forbidden) ? [path] : [])),
  'each host gets its delay': ({ history, expectations }) => {
    const { breaches } = politeness(history, expectations.pauseOfHostMs)
    return breaches.slice(0, maxShown)
  },
  'the API answers or sends Retry-After': ({ history, expectations }) => [
    ...badAnswers(history),
    ...(expectations.answered ? lost(history) : []),
  ],
  'every fault happened': ({ history, expectations }) => {
    const kills = only(history, 'kill').length
    const isRepeated = only(history, 'repeated').some(({ messages }) => messages > 0)
    return [
      ...(kills < expectations.kills ? [`${kills} of ${expectations.kills}`] : []),
      ...(expectations.repeated && !isRepeated ? ['no work came twice'] : []),
    ]
  },
  'something was delivered again': ({ history, expectations }) =>
    expectations.redelivered && redeliveries(history) === 0
      ? ['no message was redelivered, so this run proves nothing']
      : [],
  'admin verify holds': ({ history }) => {
    const verified = only(history, 'verified')
    return [
      ...(verified.length === 1 ? [] : [`it ran ${verified.length} times, not once`]),
      ...verified.flatMap(({ code, output }) => (code === 0 ? [] : [`exit code ${code}: ${output}`])),
    ]
  },
}

export const ruleNames: readonly string[] = Object.keys(rules)

/** Returns the broken promises. */
export function violations(history: History, expectations: Expectations): Violation[] {
  const known = { history, runs: runsOf(history), expectations }
  return Object.entries(rules)
    .map(([rule, find]) => ({ rule, found: find(known) }))
    .filter(({ found }) => found.length > 0)
}

/**
 * Returns the number of repeated requests and their ratio to the distinct URLs. Requests for robots.txt do not count.
 */
export function refetches(history: History): { again: number; ratio: number } {
  const hits = only(history, 'hit').filter(({ path }) => path !== '/robots.txt')
  const distinct = new Set(hits.map(({ host, path }) => `${host}${path}`)).size
  const again = hits.length - distinct
  return { again, ratio: again / Math.max(1, distinct) }
}

/** Returns the longest pause between two signs of progress of the crawls, in milliseconds. */
export function maxPause(history: History): number {
  const signs = history.filter(({ type }) => ['accepted', 'hit', 'ended'].includes(type)).map(({ at }) => at)
  return signs.slice(1).reduce((most, at, n) => Math.max(most, at - (signs[n] ?? at)), 0)
}

export const redeliveries = (history: History): number =>
  only(history, 'redelivered').reduce((sum, { messages }) => sum + messages, 0)

/** Returns the number of distinct URLs that the crawls must request. */
export function fetchesExpected(history: History): number {
  const [planned] = only(history, 'site')
  if (planned === undefined) return 0
  return planned.origins.reduce((sum, _, host) => sum + expectedPaths(planned.site, host).size, 0)
}

function runsOf(history: History): Ran[] {
  const [planned] = only(history, 'site')
  const ends = new Map(only(history, 'ended').map(({ run, end }) => [run, end]))
  const pages = new Map(only(history, 'pages').map(({ run, rows }) => [run, rows]))
  return only(history, 'accepted').map(({ run, project, host }) => {
    const paths = planned === undefined ? [] : [...expectedRows(planned.site, host)]
    const expected = new Map(paths.map(([path, status]) => [`${planned?.origins[host]}${path}`, status]))
    return { run, project, host, expected, end: ends.get(run) ?? null, rows: pages.get(run) ?? [] }
  })
}

function billing(history: History, runs: Ran[]): string[] {
  const billed = new Map(only(history, 'usage').map(({ project, pages }) => [project, pages]))
  return [...new Set(runs.map(({ project }) => project))].flatMap(project => {
    const due = runs
      .filter(run => run.project === project)
      .reduce((sum, { expected }) => sum + expected.size, 0)
    const got = billed.get(project)
    return got === due ? [] : [`project ${project}: ${got ?? 'nothing'} billed for ${due} pages`]
  })
}

function webhooks(history: History, run: number): string | false {
  const ids = new Set(
    only(history, 'delivery').flatMap(delivery => (delivery.run === run ? [delivery.id] : [])),
  )
  return ids.size !== 1 && (ids.size === 0 ? 'sent no webhook' : `sent several: ${[...ids].join(', ')}`)
}

function badAnswers(history: History): string[] {
  const bad = only(history, 'call').filter(({ status, retryAfter }) =>
    status === 503 ? !retryAfter : status >= 400 && status !== 429,
  )
  return bad.map(
    ({ at, method, path, status }) =>
      `${new Date(at).toISOString()} ${method} ${path}: ${status}${status === 503 ? ' without Retry-After' : ''}`,
  )
}

function lost(history: History): string[] {
  const { lost } = answersIn(history)
  return lost === 0 ? [] : [`${lost} calls had no answer`]
}

function each(runs: Ran[], find: (run: Ran) => string | false): string[] {
  return runs.flatMap(run => {
    const found = find(run)
    return found === false ? [] : [`run ${run.run} ${found}`]
  })
}

function repeated(words: string[]): string[] {
  const seen = new Set<string>()
  return words.filter(word => seen.size === seen.add(word).size)
}

function listed(verb: string, found: string[]): string | false {
  const shown = found.slice(0, 3).join(', ')
  return found.length > 0 && `${verb} ${found.length}: ${shown}${found.length > 3 ? ', …' : ''}`
}
