/**
 * Simulated runs: for any outcomes, in any order and any number of times, a run keeps its invariants, ends, and equals
 * the run that is rebuilt from its events. `RUNS=100000` simulates more runs.
 */
import { costOf, unitPrices } from '@tidemark/contracts/prices'
import fc from 'fast-check'
import { test } from 'tap'
import { aimed, command, someSettings, storedPages } from './any-command.scene.ts'
import { Story } from './any-run.scene.ts'
import { mayBeOrdered } from './evolve/evolve-robots.ts'
import { isWaited, nextCheck } from './orders.ts'
import { circumstances, lookAfter, queued } from './run.examples.ts'
import { type Ended, isPaused, limitAt, type Run, type Running, spentBy, totals } from './run.ts'
import { awaitsSitemaps } from './sitemaps.ts'

const runs = Number(process.env.RUNS ?? 400)

function keepsPromises(run: Run, { journal }: Story): void {
  if ('totals' in run) keepsCost(run, { ...run, counts: run.totals })
  if (run.status !== 'running') return
  keepsCost(run, run)
  keepsBytes(run, bytesIn(journal))
  const counts = totals(run)
  if (Object.values(counts).some(count => count < 0)) throw new Error('a negative count')
  const { discovered, pending, notReached, ...ends } = counts
  const sum = Object.values(ends).reduce((a, b) => a + b, pending + notReached)
  if (discovered !== sum) throw new Error(`discovered ${discovered}, accounted for ${sum}`)
  if (run.counts.fetched + run.pending.size > run.settings.maxPages)
    throw new Error('more pages than max_pages')
  const out = [...run.pending.values()].filter(({ order }) => order !== null).length
  const outAtOrigins = [...run.outAt.values()].reduce((a, b) => a + b, 0)
  const { rendering } = run
  if (run.out !== out || outAtOrigins + rendering.out + run.storedOut !== out)
    throw new Error(`${run.out} counted as out, ${out} are`)
  const rendered = [...run.pending.values()].filter(({ lane }) => lane === 'browser')
  const renderedOut = rendered.filter(({ order }) => order !== null).length
  if (rendering.pending !== rendered.length || rendering.out !== renderedOut)
    throw new Error('the count of pages to render is wrong')
  if (run.failed.size !== run.counts.failed) throw new Error('the count of failed URLs is wrong')
  keepsRechecks(run)
  keepsOrders(run)
  if (pending === 0 && !awaitsSitemaps(run) && !run.isUnfinished && !isPaused(run))
    throw new Error('nothing is left, but it still runs')
  const { runLimitMs } = circumstances()
  if (!isPaused(run) && !isWaited(run) && nextCheck(run, runLimitMs) >= limitAt(run, runLimitMs))
    throw new Error('it waits for nothing until its time limit')
}

const bytesIn = (journal: Story['journal']): number =>
  journal
    .flatMap(({ event }) => (event.type === 'PagesSettled' ? event.data.pages : []))
    .reduce((sum, { bytes, carried }) => sum + (carried ? 0 : bytes), 0)

/**
 * Checks that the cost of the pages and the prices that pending pages hold are not above the maximum. All pages in
 * flight hold their price.
 */
function keepsCost(run: Running | Ended, counts: Parameters<typeof spentBy>[0]): void {
  const { maxCost } = run.settings
  if (maxCost === undefined) return
  const spent = costOf(spentBy(counts), unitPrices)
  if (spent > maxCost) throw new Error(`${spent} is spent of ${maxCost}`)
  if (run.status !== 'running') return
  const { cost, pending } = run
  const held = [...pending.values()].reduce((sum, { price = 0 }) => sum + price, 0)
  if (cost === null || cost.held !== held) throw new Error(`${cost?.held} counted as held, ${held} are`)
  if (spent + held > maxCost) throw new Error(`${spent} is spent and ${held} held of ${maxCost}`)
  for (const { order, price } of pending.values())
    if (order !== null && order.stored === undefined && price === undefined)
      throw new Error('a page in flight holds no price')
}

/** Checks that the bytes of the pages and those that pending pages hold are not above the maximum. */
function keepsBytes(run: Running, fetchedBytes: number): void {
  const { bytes, pending, settings } = run
  if (bytes === null || settings.maxBytes === undefined) return
  if (bytes.spent !== fetchedBytes)
    throw new Error(`${bytes.spent} bytes counted, the pages have ${fetchedBytes}`)
  const held = [...pending.values()].reduce((sum, { bytes = 0 }) => sum + bytes, 0)
  if (bytes.held !== held) throw new Error(`${bytes.held} bytes counted as held, ${held} are`)
  if (bytes.spent + held > settings.maxBytes)
    throw new Error(`${bytes.spent} and ${held} of ${settings.maxBytes} bytes`)
  for (const { order, bytes } of pending.values())
    if (order !== null && order.stored === undefined && !bytes)
      throw new Error('a page in flight holds no bytes')
}

/** No page is requested before its robots.txt is read, or from its origin while the store may have it. */
function keepsOrders(run: Running): void {
  for (const [key, { order, found, isStale, answer }] of run.pending) {
    if (order === null) continue
    if (!mayBeOrdered(run, found.url)) throw new Error('a page is requested before its robots.txt is read')
    const isSpare = order.stored === undefined && !isStale && !answer
    if (isSpare && run.settings.fork && storedPages.has(key))
      throw new Error('a page of the store is requested')
  }
}

/** Pages with a server error wait for the end of the run, or their second request is outstanding. */
function keepsRechecks({ pending, rechecks, ready, later }: Running): void {
  const answered = [...pending].filter(([, { answer }]) => answer !== undefined)
  const waiting = answered.filter(([, { order }]) => order === null)
  const rendered = waiting.filter(([, { lane }]) => lane === 'browser')
  const isCounted =
    rechecks.all === answered.length &&
    rechecks.waiting.size === waiting.length &&
    rechecks.rendered.size === rendered.length &&
    waiting.every(([key]) => rechecks.waiting.has(key)) &&
    rendered.every(([key]) => rechecks.rendered.has(key))
  if (!isCounted) throw new Error('the count of second requests is wrong')
  const lines = [later, ...ready.values()]
  if (waiting.some(([key]) => lines.some(line => line.has(key))))
    throw new Error('a page waits in two queues')
  if (answered.some(([, { answer }]) => answer !== undefined && (answer.status < 500 || answer.blocked)))
    throw new Error('a second request of a page without a server error')
}

function readsBack(story: Story): void {
  const [rebuilt, actual] = [story.again(), story.run].map(run => JSON.stringify(comparable(run), inOrder))
  if (rebuilt !== actual) throw new Error('the rebuilt run differs')
}

/** Counts by reason have the order in which the reasons came, and one decision may report several in another order. */
const inOrder = (_name: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

function comparable(run: Run): unknown {
  if (run.status !== 'running')
    return 'before' in run ? { ...run, before: run.before && comparable(run.before) } : run
  const sorted = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const { states, pending, ready, later, robots, redirects, awaitingRobots, deferred, ...rest } = run
  const {
    listed,
    sitemaps,
    linkParts,
    outAt,
    traps,
    rechecks,
    left,
    failed,
    isUnfinished: _,
    decidedAt: __,
    ...plain
  } = rest
  return {
    ...plain,
    traps: traps && {
      ...traps,
      origins: sorted(traps.origins),
      kinds: sorted(traps.kinds),
      dates: sorted(traps.dates),
    },
    states: sorted(states),
    left: sorted(left),
    failed: [...failed],
    pending: sorted(pending),
    ready: sorted(ready).map(([origin, keys]) => [origin, [...keys].sort()]),
    outAt: sorted(outAt),
    later: [...later].sort(),
    rechecks: [[...rechecks.waiting].sort(), [...rechecks.rendered].sort(), rechecks.all],
    robots: sorted(robots),
    redirects: sorted(redirects),
    listed: [[...listed.keys].sort(), sorted(listed.waiting)],
    sitemaps: sorted(sitemaps),
    linkParts: sorted(linkParts).map(([key, parts]) => [key, [...parts].sort()]),
    awaiting: sorted(
      [...awaitingRobots].filter(([, keys]) => keys.size > 0).map(([o, keys]) => [o, [...keys].sort()]),
    ),
    deferred: [deferred.count, sorted(deferred.max_pages), [...deferred.depth].sort()],
  }
}

test('A run with any outcomes, in any order and any number of times', { timeout: 3_600_000 }, async t => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40, size: 'max' }), someSettings, (commands, settings) => {
      const story = new Story(queued(settings), keepsPromises)
      story.send(lookAfter)
      for (const { command, aim, afterMs } of commands) {
        story.now += afterMs
        story.send(aimed(command, story.run, aim))
      }
      readsBack(story)
      story.ends()
      story.send({ type: 'ReopenRun' })
      readsBack(story)
      story.ends()
    }),
    { numRuns: runs },
  )
  t.pass(`${runs} generated runs`)
})
