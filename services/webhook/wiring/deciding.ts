/** Reads RUNS, and has what is to be told put into the queue. */
import { named } from '@tidemark/contracts/health'
import { streams } from '@tidemark/contracts/subjects'
import { type ProjectionEnd, runProjection } from '@tidemark/db/projector'
import { database } from '../database.ts'
import type { Announcer } from '../policies/announce-due.ts'
import { type Decisions, decideDeliveries, noDecisions } from '../policies/decide-deliveries.ts'
import { tellUncompared } from '../policies/tell-uncompared.ts'
import { type Parts, publishSoon } from './parts.ts'

const { schema } = database

/** What it reads of RUNS, and where it stands there. */
export const policy = {
  schema,
  projection: 'decide-deliveries',
  partition: 'all',
  stream: streams.runs,
  filter: ['runs.*.*.crawl', 'runs.*.*.diff'],
}

/** `fault` names what keeps it from deciding. */
export function startDeciding(
  { bus, db, outbox, settings, signal, report }: Parts,
  { begin }: Pick<Announcer, 'begin'>,
) {
  let fresh = noDecisions()
  const underWay = new Set<Promise<void>>()
  const follow = ({ outboxIds, toDeliver }: Decisions) => {
    outboxIds.forEach(publishSoon(outbox))
    const announcing = begin(toDeliver)
      .catch(report)
      .finally(() => underWay.delete(announcing))
    underWay.add(announcing)
  }
  const decided = (decisions: Decisions) => {
    fresh = decisions
  }
  const apply = decideDeliveries({ decided, compareMs: settings.WEBHOOK_COMPARE_MS })
  const { projection, ...place } = policy
  const reading = { bus, pool: db.pool, ...place, name: projection }
  let end: ProjectionEnd | null = null
  // Also called for what was passed over, which has decided nothing.
  const onCommitted = () => {
    const made = fresh
    fresh = noDecisions()
    follow(made)
  }
  const reads = runProjection({ ...reading, apply, onCommitted, signal, report }).then(how => {
    end = how
  })
  const tells = tellUncompared({ bus, pool: db.pool, decided: follow, signal, report })
  const ended = Promise.all([reads, tells]).then(() => Promise.all(underWay))
  const fault = () =>
    end === 'stream-went-backwards'
      ? named('stream_went_backwards', `${streams.runs} ends before what was read of it`)
      : null
  return { ended, fault }
}
