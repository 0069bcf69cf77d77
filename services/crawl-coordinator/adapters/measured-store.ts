/**
 * Extends an event store with metrics of its appends. Each result of a page or run is appended once, so it is counted
 * here. A commit that is appended again, after a lost response, is counted again.
 */
import type { RunCommit } from '@tidemark/contracts/run'
import { Conflict, type EventStore } from '@tidemark/eventstore/store'
import { counter, histogram } from '@tidemark/telemetry/metrics'

type RunEvent = RunCommit['events'][number]

export function measuredStore(store: EventStore): EventStore {
  const appended = histogram('tidemark.append.seconds')
  const pages = counter('tidemark.pages')
  const runs = counter('tidemark.runs')

  function count(event: RunEvent): void {
    for (const [outcome, number] of pagesIn(event)) if (number > 0) pages(number, { outcome })
    const became = runIn(event)
    if (became !== null) runs(1, { became })
  }

  return {
    ...store,
    async append(subject, expected, commit, options) {
      const startedAt = performance.now()
      const done = (result: string) => appended((performance.now() - startedAt) / 1_000, { result })
      try {
        const sequence = await store.append(subject, expected, commit, options)
        done('appended')
        for (const event of (commit as unknown as RunCommit).events) count(event)
        return sequence
      } catch (error) {
        done(error instanceof Conflict ? 'conflict' : 'failed')
        throw error
      }
    },
  }
}

function pagesIn({ type, data }: RunEvent): [outcome: string, number: number][] {
  if (type === 'PagesFailed') return [['failed', data.pages.length]]
  if (type === 'PagesRetried') return [['retried', data.pages.length]]
  if (type === 'PagesDuplicated') return [['duplicate', data.pages.length]]
  if (type === 'PagesSkipped') return [['skipped', data.pages.length]]
  if (type !== 'PagesSettled') return []
  const carried = data.pages.filter(page => page.carried).length
  const blocked = data.pages.filter(page => page.blocked && !page.carried).length
  const unchanged = data.pages.filter(page => page.notModified).length
  return [
    ['carried', carried],
    ['blocked', blocked],
    ['not_modified', unchanged],
    ['fetched', data.pages.length - carried - blocked - unchanged],
  ]
}

function runIn({ type, data }: RunEvent): string | null {
  if (type === 'RunStarted') return 'running'
  if (type === 'RunDeleted') return 'deleted'
  return type === 'RunFinished' ? data.status : null
}
