/** The parts of the read model: each projection with its stream and the tables that it alone writes. */
import { streams } from '@tidemark/contracts/subjects'
import type { Projection } from '@tidemark/db/projector'
import { accountsProjection } from './accounts.ts'
import { auditProjection } from './audit.ts'
import type { Report } from './commits.ts'
import { runsProjection } from './runs.ts'

export type ReadModelProjection = Pick<Projection, 'name' | 'stream'> & {
  filter: string
  /** Tables of schema `read` that only this projection writes, because a rebuild empties them. */
  tables: readonly string[]
  apply: (report: Report) => Projection['apply']
  /** Its stream has dropped messages of existing rows, so the tables cannot be rebuilt from it. */
  outlivesStream?: true
}

export const readModel: readonly ReadModelProjection[] = [
  {
    name: 'runs',
    stream: streams.runs,
    filter: 'runs.*.*.*',
    tables: ['run', 'page', 'pageless', 'deleted_run'],
    apply: runsProjection,
  },
  {
    name: 'accounts',
    stream: streams.accounts,
    filter: 'accounts.*',
    tables: ['project', 'key'],
    apply: accountsProjection,
  },
  {
    name: 'audit',
    stream: streams.audit,
    filter: 'audit.*',
    tables: ['log'],
    apply: auditProjection,
    outlivesStream: true,
  },
]
