/** Projects RUNS into decisions, and announces their deliveries. */
import { named } from '@tidemark/contracts/health'
import { streams } from '@tidemark/contracts/subjects'
import { type ProjectionEnd, runProjection } from '@tidemark/db/projector'
import { database } from '../database.ts'
import type { Announcer } from '../policies/announce-due.ts'
import { type Decisions, decideDeliveries, noDecisions } from '../policies/decide-deliveries.ts'
import { tellUncompared } from '../policies/tell-uncompared.ts'
import { type Parts, publishSoon } from './parts.ts'

const { schema } = database

/** The subjects of RUNS that are read, and the name of their checkpoint. */
export const policy = {
  schema,
  projection: 'decide-deliveries',
  partition: 'all',
  stream: streams.runs,
  filter: ['runs.*.*.crawl', 'runs.*.*.diff'],
}

/** Starts deciding. `fault` returns the reason why decisions are impossible, or null. */
export function startDeciding(
  { bus, db, outbox, settings, signal, report }: Parts,
  { begin }: Pick<Announcer, 'begin'>,
) {
  let fresh = noDecisions()
  const inProgress = new Set<Promise<void>>()
  const follow = ({ outboxIds, toDeliver }: Decisions) => {
    outboxIds.forEach(publishSoon(outbox))
    const announcing = begin(toDeliver)
      .catch(report)
      .finally(() => inProgress.delete(announcing))
    inProgress.add(announcing)
  }
  const decided = (decisions: Decisions) => {
    fresh = decisions
  }
  const { WEBHOOK_COMPARE_MS: compareMs, WEBHOOK_JUDGE_MS: judgeMs } = settings
  const apply = decideDeliveries({ decided, compareMs, judgeMs })
  const { projection, ...position } = policy
  const reading = { bus, pool: db.pool, ...position, name: projection }
  let end: ProjectionEnd | null = null
  // Also called for skipped messages, which led to no decision.
  const onCommitted = () => {
    const made = fresh
    fresh = noDecisions()
    follow(made)
  }
  const reads = runProjection({ ...reading, apply, onCommitted, signal, report }).then(how => {
    end = how
  })
  const waits = tellUncompared({ bus, pool: db.pool, decided: follow, signal, report })
  const ended = Promise.all([reads, waits]).then(() => Promise.all(inProgress))
  const fault = () =>
    end === 'stream-went-backwards'
      ? named('stream_went_backwards', `${streams.runs} ends before the last position that was read`)
      : null
  return { ended, fault }
}
