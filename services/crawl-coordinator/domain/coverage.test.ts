/** Compares the coverage of a run with its totals, and with a second count of its events without the fold. */
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunEvent } from '@tidemark/contracts/run'
import { urlKey } from '@tidemark/url/key'
import fc from 'fast-check'
import { test } from 'tap'
import { command, someSettings } from './any-command.scene.ts'
import { Story } from './any-run.scene.ts'
import { coverageOf } from './coverage.ts'
import { lookAfter, page, queued, robots, settle } from './run.examples.ts'
import { isKnown, type Run, totals } from './run.ts'

const linked = ['/p0', '/p1', '/p2', '/p3', '/p4', '/p11', '/x/x/x/x', 'https://b.example/']
const runs = Number(process.env.RUNS ?? 200)

/** Returns the state of each URL by key according to its last event: `failed dns`, `skipped trap calendar`. */
function statesOf(events: RunEvent[]): Map<string, string> {
  const states = new Map<string, string>()
  const all = (pages: { key: string }[], state: string) => {
    for (const { key } of pages) states.set(key, state)
  }
  const leftOut = { include: 'not_included', exclude: 'excluded' }
  let listed: string[] = []
  let failures: { key: string; wasPending: boolean }[] = []
  for (const { type, data } of events) {
    if (type === 'RunQueued') listed = (data.settings.urls ?? []).filter(url => url !== data.url).map(urlKey)
    if (type === 'RunStarted') for (const key of listed) states.set(key, 'pending')
    if (type === 'PagesAdmitted') all(data.pages, 'pending')
    if (type === 'PagesDeferred') all(data.pages, `not_reached ${data.limit}`)
    if (type === 'PagesSkipped') all(data.pages, `skipped ${data.reason}`)
    if (type === 'PagesFiltered') all(data.pages, `skipped ${leftOut[data.by]}`)
    if (type === 'PagesPruned') all(data.pages, `skipped trap ${data.rule}`)
    if (type === 'PagesSettled') all(data.pages, 'fetched')
    if (type === 'PagesDuplicated') all(data.pages, 'duplicate')
    if (type === 'PagesFailed') {
      for (const { key, reason } of data.pages) {
        failures.push({ key, wasPending: states.get(key) === 'pending' })
        states.set(key, `failed ${reason}`)
      }
    }
    if (type === 'RunReopened') {
      for (const { key, wasPending } of failures.slice(0, data.retried)) {
        if (wasPending) states.set(key, 'pending')
        else states.delete(key)
      }
      failures = failures.slice(data.retried)
    }
    if (type === 'RunFinished' && data.totals.pending === 0) {
      for (const [key, state] of states)
        if (state === 'pending') states.set(key, `not_reached ${data.stopReason}`)
    }
  }
  return states
}

/** Returns the numbers of a coverage by the same names, without zeros. */
function countsIn(coverage: Coverage): Record<string, number> {
  const { trap, ...others } = coverage.skipped.by_reason
  const named = (name: string, counts: Record<string, number>) =>
    Object.entries(counts).map(([reason, count]) => [`${name} ${reason}`, count] as const)
  const all = [
    ...named('failed', coverage.failed.by_reason),
    ...named('skipped', others),
    ...named('skipped trap', trap),
    ...named('not_reached', coverage.not_reached.by_limit),
    ['fetched', coverage.fetched] as const,
    ['duplicate', coverage.duplicate] as const,
    ['pending', coverage.pending] as const,
  ]
  return Object.fromEntries(all.filter(([, count]) => count !== 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function expected(events: RunEvent[]): Record<string, number> {
  const states = [...statesOf(events).values()].sort((a, b) => (a < b ? -1 : 1))
  const counts: Record<string, number> = {}
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

function holds(run: Run, { journal }: { journal: readonly { event: RunEvent }[] }): void {
  if (!isKnown(run)) return
  const coverage = coverageOf(run, 1)
  const { discovered, fetched, duplicate, pending, failed, skipped, not_reached } = coverage
  const sum = fetched + duplicate + pending + failed.total + skipped.total + not_reached.total
  if (discovered !== sum || !coverage.holds) throw new Error(`discovered ${discovered}, accounted for ${sum}`)
  const events = journal.map(({ event }) => event)
  const [actual, counted] = [countsIn(coverage), expected(events)].map(counts => JSON.stringify(counts))
  if (actual !== counted) throw new Error(`coverage ${actual}, events ${counted}`)
  const ofRun = run.status === 'queued' ? null : run.status === 'running' ? totals(run) : run.totals
  const ours = {
    discovered,
    fetched,
    failed: failed.total,
    skipped: skipped.total,
    duplicate,
    notReached: not_reached.total,
    pending,
  }
  if (ofRun && JSON.stringify(ofRun) !== JSON.stringify(ours))
    throw new Error(`not the totals: ${JSON.stringify(ours)}`)
}

test('The coverage of a run', { timeout: 3_600_000 }, async t => {
  t.test('adds up at every moment of any run, and by the reasons of its events', async t => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), someSettings, (commands, settings) => {
        const story = new Story(queued(settings), holds)
        story.send(lookAfter)
        story.send(settle(robots('User-agent: *\nDisallow: /p1')))
        story.send(settle(page('/', linked)))
        for (const { command, afterMs } of commands) {
          story.now += afterMs
          story.send(command)
        }
        story.ends()
        holds(story.again(), story)
      }),
      { numRuns: runs },
    )
    t.pass(`${runs} generated runs`)
  })
})
