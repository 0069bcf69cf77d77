/**
 * Requests from the coordinator what happened to the URLs of a run. Link texts are read here, because the gateway has
 * the stored links.
 */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { openLinks } from '@tidemark/content/links'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunErrorList } from '@tidemark/contracts/http/errors'
import type { Explanation } from '@tidemark/contracts/http/explain'
import * as explainRpc from '@tidemark/contracts/rpc/explain'
import type { OfProject } from '@tidemark/db/of-project'
import type { Window } from '../../http/domain/window.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'

/** A run, and whether a reader of a share requests it. */
type ReadOfRun = Pick<OfRun, 'projectId' | 'runId'> & { isShared?: true }

/** Every method returns null if the project has no such run. */
export type RunAnswers = {
  coverage(run: ReadOfRun): Promise<Coverage | null>
  errors(run: ReadOfRun, window: Window): Promise<RunErrorList | null>
  /** @param url in normal form */
  explain(run: ReadOfRun, url: string): Promise<Explanation | null>
}

export function openRunAnswers(bus: Bus, reads: OfProject): RunAnswers {
  const wait = { timeoutMs: explainRpc.explainTimeoutMs }

  async function anchorOf(
    { projectId, runId }: OfRun,
    { key, url }: { key: string; url: string },
    to: string,
  ) {
    const [edges = []] = [...(await openLinks(reads(projectId)).read(runId, [{ urlKey: key, url }]))]
    return edges.find(({ href }) => href === to)?.anchor ?? null
  }

  async function traceOf({ projectId, runId }: OfRun): Promise<{ trace_id?: string }> {
    const text = 'select trace_id from read.run where id = $1'
    const { rows } = await reads(projectId).query<{ trace_id: string | null }>(text, [runId])
    const trace_id = rows[0]?.trace_id
    return trace_id ? { trace_id } : {}
  }

  return {
    async coverage(run) {
      return (await call(bus, explainRpc.getCoverage, run, wait)).coverage
    },

    async errors(run, { limit, offset }) {
      const request = { ...run, limit, offset }
      return (await call(bus, explainRpc.listErrors, request, wait)).errors
    },

    async explain(run, url) {
      const request = { ...run, url }
      const answer = await call(bus, explainRpc.explainUrl, request, wait)
      if (answer.explanation === null) return null
      const explanation = { ...answer.explanation, ...(await traceOf(request)) }
      const { foundOn } = answer
      if (!explanation.found || !foundOn) return explanation
      const anchor = await anchorOf(request, foundOn, url)
      return { ...explanation, found: { ...explanation.found, anchor } }
    },
  }
}
