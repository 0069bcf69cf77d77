/** The host whose subdomains a run includes. Links between hosts of its scope are internal. */
import type { OfProject } from '@tidemark/db/of-project'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'

const text = 'select wide_scope from read.run where id = $1 and project_id = $2'

/** Returns the host; null: the scope of the run is one host, or is not known. */
export async function wideScopeOf(reads: OfProject, { projectId, runId }: OfRun): Promise<string | null> {
  const statement = { name: 'wide-scope', text, values: [runId, projectId] }
  const { rows } = await reads(projectId).query<{ wide_scope: string | null }>(statement)
  return rows[0]?.wide_scope ?? null
}
