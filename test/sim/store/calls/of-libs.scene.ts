/** Calls of the adapters of `libs/db` in one schema. */
import { moveCheckpoint, readPosition } from '@tidemark/db/checkpoint'
import { hasOldRows, presentRows, removeRows, takeFirstRows } from '@tidemark/db/outbox-rows'
import fc from 'fast-check'
import { type Random, random } from './call.scene.ts'

const ids = fc.subarray([1, 2, 3, 4], { maxLength: 3 })
const last = fc.option(fc.constantFrom({ time: new Date(Date.UTC(2026, 0, 1)), subject: 'runs.1.1.crawl' }), {
  nil: undefined,
})

/** Calls of the checkpoints of projections. */
export function ofCheckpoints(schema: string): Random[] {
  const key = fc.record({
    schema: fc.constant(schema),
    projection: fc.constantFrom('a', 'b'),
    partition: fc.constant('all'),
    stream: fc.constant('RUNS'),
  })
  return [
    random('readPosition', key, ({ pool }, key) => readPosition(pool, key)),
    random(
      'moveCheckpoint',
      fc.record({ key, from: fc.nat(2), to: fc.nat(2), last }),
      ({ transaction }, { key, from, to, last }) =>
        transaction(client => moveCheckpoint(client, key, from, to, last)),
    ),
  ]
}

/** Calls of an outbox whose rows are inserted by other calls. */
export function ofOutbox(schema: string): Random[] {
  return [
    random(
      'relay',
      fc.record({ ids, ageSeconds: fc.constantFrom(0, 2, 10), isPublished: fc.boolean() }),
      ({ transaction }, { isPublished, ...wanted }) =>
        transaction(async client => {
          const rows = await takeFirstRows(client, schema, wanted)
          const published = rows.filter(() => isPublished).map(({ id }) => id)
          await removeRows(client, schema, published)
        }),
    ),
    random('hasOldRows', fc.constantFrom(0, 2, 10), ({ pool }, age) => hasOldRows(pool, schema, age), 1),
    random('presentRows', fc.option(ids), ({ pool }, ids) => presentRows(pool, schema, ids), 1),
  ]
}
