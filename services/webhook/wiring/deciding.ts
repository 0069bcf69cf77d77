/** Projects RUNS and BATCHES into decisions, and announces their deliveries. */
import { named } from '@tidemark/contracts/health'
import { streams } from '@tidemark/contracts/subjects'
import { type Projection, type ProjectionEnd, runProjection } from '@tidemark/db/projector'
import { database } from '../database.ts'
import type { Announcer } from '../policies/announce-due.ts'
import { decideBatches } from '../policies/decide-batches.ts'
import { type Decisions, decideDeliveries, noDecisions } from '../policies/decide-deliveries.ts'
import { sendUncompared } from '../policies/send-uncompared.ts'
import { sendWaitingPages } from '../policies/send-waiting-pages.ts'
import type { Settings } from '../settings.ts'
import { publishSoon, type WebhookParts } from './parts.ts'

const { schema } = database

/** The subjects of RUNS that are read, and the name of their checkpoint. */
export const runsProjection = {
  schema,
  projection: 'decide-deliveries',
  partition: 'all',
  stream: streams.runs,
  filter: ['runs.*.*.crawl', 'runs.*.*.diff'],
}

/** The subjects of BATCHES that are read, and the name of their checkpoint. */
export const batchesProjection = {
  ...{ schema, projection: 'decide-batches', partition: 'all' },
  ...{ stream: streams.batches, filter: 'batches.*' },
}

type Deciding = Pick<WebhookParts, 'bus' | 'outbox' | 'signal' | 'report'> & {
  db: Pick<WebhookParts['db'], 'pool'>
  settings: Pick<Settings, 'WEBHOOK_COMPARE_MS' | 'WEBHOOK_JUDGE_MS' | 'WEBHOOK_PAGES_MS'>
}
type Decide = (decided: (decisions: Decisions) => void) => Projection['apply']

/**
 * Starts the decisions about webhooks. In the result, `ended` resolves when all of them and their announcements have
 * ended, and `fault` returns the reason why none can be made, or null.
 */
export function startDeciding(
  { bus, db, outbox, settings, signal, report }: Deciding,
  announcer: Pick<Announcer, 'begin'>,
) {
  const inProgress = new Set<Promise<void>>()
  const follow = ({ outboxIds, toDeliver }: Decisions) => {
    outboxIds.forEach(publishSoon(outbox))
    const announcing = announcer
      .begin(toDeliver)
      .catch(report)
      .finally(() => inProgress.delete(announcing))
    inProgress.add(announcing)
  }
  const ends = new Map<string, ProjectionEnd>()
  const read = async (
    { projection, ...position }: typeof runsProjection | typeof batchesProjection,
    decide: Decide,
  ) => {
    let fresh = noDecisions()
    const apply = decide(decisions => {
      fresh = decisions
    })
    // `onCommitted` is also called for skipped messages, for which nothing was decided.
    const onCommitted = () => {
      const made = fresh
      fresh = noDecisions()
      follow(made)
    }
    const reading = { bus, pool: db.pool, ...position, name: projection }
    ends.set(position.stream, await runProjection({ ...reading, apply, onCommitted, signal, report }))
  }
  const { WEBHOOK_COMPARE_MS: compareMs, WEBHOOK_JUDGE_MS: judgeMs, WEBHOOK_PAGES_MS: pagesMs } = settings
  const reads = [
    read(runsProjection, decided => decideDeliveries({ decided, compareMs, judgeMs, pagesMs })),
    read(batchesProjection, decided => decideBatches({ decided })),
    sendUncompared({ bus, pool: db.pool, decided: follow, signal, report }),
    sendWaitingPages({ bus, pool: db.pool, waitMs: pagesMs, decided: follow, signal, report }),
  ]
  const ended = Promise.all(reads).then(() => Promise.all(inProgress))
  return { ended, fault: () => faultIn(ends) }
}

function faultIn(ends: ReadonlyMap<string, ProjectionEnd>): string | null {
  for (const [stream, end] of ends)
    if (end === 'stream-went-backwards')
      return named('stream_went_backwards', `${stream} ends before the last position that was read`)
  return null
}
