/** The URLs of a crawl by their outcome, as parts that add up. */
import type { Coverage } from '@tidemark/sdk'
import { useRef } from 'preact/hooks'
import { addressOf } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { type Reading, useReading } from '../data/reading.ts'
import { count, spoken } from '../data/words.ts'
import { Panel } from '../parts/layout.tsx'
import { Waiting } from '../parts/messages.tsx'
import { type Share, ShareBar } from '../parts/pictures.tsx'

/** Pause after a read of the coverage, as a multiple of the duration of the read. */
const restShare = 40

/** Reads the coverage. The service counts every URL of the crawl for it, so a large crawl is read less often. */
export function useCoverage(id: number) {
  const dueAt = useRef(0)
  const reading = useReading(
    async signal => {
      const began = performance.now()
      try {
        return await tidemark.crawls.coverage(id, { signal })
      } finally {
        const now = performance.now()
        dueAt.current = now + restShare * (now - began)
      }
    },
    [id],
  )
  const refreshIfDue = () => {
    if (performance.now() >= dueAt.current) reading.refresh()
  }
  return { ...reading, refreshIfDue }
}

export function CoveragePanel({ id, coverage }: { id: number; coverage: Reading<Coverage> }) {
  return (
    <Panel title="Coverage" aside={coverage.data && <Sum coverage={coverage.data} />}>
      <Waiting reading={coverage} what="the coverage" />
      {coverage.data && (
        <ShareBar
          label="All discovered URLs by their outcome"
          whole="Discovered"
          total={coverage.data.discovered}
          shares={sharesOf(coverage.data)}
        />
      )}
      <p class="form-note">
        <a href={addressOf(`/crawls/${id}/explain`)}>Why is a URL missing?</a>
      </p>
    </Panel>
  )
}

const Sum = ({ coverage: { holds } }: { coverage: Coverage }) => (
  <span class="quiet">
    {holds ? 'Every URL is accounted for.' : 'The parts do not add up: please report this.'}
  </span>
)

/** The reasons with the most URLs, in one line. */
const topOf = (reasons: Record<string, number>): string =>
  Object.entries(reasons)
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([name, value]) => `${spoken(name)} ${count(value)}`)
    .join(', ')

function sharesOf(coverage: Coverage): Share[] {
  const {
    fetched,
    failed,
    skipped,
    duplicate,
    not_reached,
    pending,
    not_modified,
    pages_reused = 0,
  } = coverage
  const { trap, ...rules } = skipped.by_reason
  return [
    {
      name: 'Fetched',
      value: fetched,
      tone: 'good',
      detail: topOf({ not_modified: not_modified.pages, reused: pages_reused }),
    },
    { name: 'Failed', value: failed.total, tone: 'bad', detail: topOf(failed.by_reason) },
    { name: 'Skipped', value: skipped.total, tone: 'wait', detail: topOf({ ...rules, ...trap }) },
    { name: 'Duplicate', value: duplicate, tone: 'twin' },
    { name: 'Not reached', value: not_reached.total, tone: 'off', detail: topOf(not_reached.by_limit) },
    { name: 'Pending', value: pending, tone: 'live' },
  ]
}
