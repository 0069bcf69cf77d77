/** Rejects reads of runs that are deleted meanwhile, so that no part of a run looks like all of it. */
import { ApiProblem } from '../http/domain/problem.ts'
import type { OfRun } from './adapters/crawled-pages.ts'

export type HasRun = (projectId: number, runId: number) => Promise<boolean>

/** Returns the error of a request that needs all pages of a run, if the run has not ended. */
export const runActive = (runId: number): ApiProblem =>
  new ApiProblem('conflict', {
    reason: 'run_active',
    message: `Crawl ${runId} has not ended, so its pages are not complete. Wait until it has ended, or cancel it.`,
  })

/** Throws `ApiProblem` (404) unless the project has all of these runs. */
export async function assertExist(hasRun: HasRun, ...runs: readonly OfRun[]): Promise<void> {
  const known = await Promise.all(runs.map(({ projectId, runId }) => hasRun(projectId, runId)))
  if (known.includes(false)) throw new ApiProblem('not_found')
}

/** Yields the pieces. Throws `ApiProblem` (404) after the last one if one of the runs has been deleted meanwhile. */
export async function* whileExist<Piece>(
  pieces: AsyncIterable<Piece>,
  hasRun: HasRun,
  ...runs: readonly OfRun[]
): AsyncGenerator<Piece> {
  yield* pieces
  await assertExist(hasRun, ...runs)
}
