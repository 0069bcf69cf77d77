/** Lists the projections whose tables can be deleted and rebuilt from streams. */

import type { Projection } from '@tidemark/db/projector'
import { database as readDatabase } from '@tidemark/gateway/database'
import { readModel } from '@tidemark/gateway/read-model/projections/read-model'
import { database as ledgerDatabase } from '@tidemark/usage-ledger/database'
import { ledgerProjection, recordUnits } from '@tidemark/usage-ledger/projections/ledger'

export type Rebuildable = Pick<Projection, 'name' | 'stream' | 'schema'> & {
  filter: string
  /** Tables of its schema that only this projection writes. */
  tables: readonly string[]
  /** A column whose sum a rebuild reduces only if the operator confirms that. */
  guarded?: { table: string; column: string }
  apply: (report: (error: unknown) => void) => Projection['apply']
}

/** Tables of the read model with rows whose messages have left their streams. */
export const outlivingTables: readonly string[] = readModel
  .filter(({ outlivesStream }) => outlivesStream)
  .flatMap(({ tables }) => tables)

/** The projections of the read model that can be rebuilt. */
export const readModelProjections: readonly Rebuildable[] = readModel
  .filter(({ outlivesStream }) => !outlivesStream)
  .map(projection => ({ ...projection, schema: readDatabase.schema }))

/** All rebuildable projections. The billing policy is not rebuildable: it would bill every event again. */
export const rebuildable: readonly Rebuildable[] = [
  ...readModelProjections,
  {
    ...ledgerProjection,
    schema: ledgerDatabase.schema,
    guarded: { table: 'unit', column: 'units' },
    apply: () => recordUnits,
  },
]
