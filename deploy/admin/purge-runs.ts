/** `purge-run` and `purge-runs`: crawls are deleted as their owner would, and their bills stay. */
import { parseArgs } from 'node:util'
import { ask } from '@tidemark/bus/ask'
import type { ProjectSetAnswer, SetProject } from '@tidemark/contracts/ask/accounts'
import { asks } from '@tidemark/contracts/subjects'
import { AdminError } from './admin-error.ts'
import { momentOf } from './when.ts'

const answerLimitMs = 10_000

export const purgeRun = {
  usage: 'purge-run --id N',

  /** Throws AdminError for a wrong command line, and a run that never was. One that is deleted already is no fault. */
  async run(args: string[], dir: string): Promise<object> {
    const { id = '' } = parseArgs({ args, options: { id: { type: 'string' } } }).values
    if (!/^[1-9]\d{0,14}$/.test(id))
      throw new AdminError(`--id is the number of a crawl.\n  ${purgeRun.usage}`, 2)
    const { openInstance } = await import('./open-instance.ts')
    const { deleteOne, projectOfRun } = await import('./purging/runs.ts')
    await using instance = await openInstance(dir)
    const runId = Number(id)
    const projectId = await projectOfRun(instance, runId)
    if (projectId === null) throw new AdminError(`There never was a run ${runId}.`)
    const deleted = await deleteOne(instance.bus, { projectId, runId })
    return { run_id: runId, project_id: projectId, deleted }
  },
}

export const purgeRuns = {
  usage: 'purge-runs --project NAME --older-than WHEN',

  /**
   * Those that ended before, but for what a monitor's next run may be compared with. Throws AdminError for a wrong
   * command line, the service's Refusal where there is no such project.
   */
  async run(args: string[], dir: string): Promise<object> {
    const options = { project: { type: 'string' }, 'older-than': { type: 'string' } } as const
    const { project: name, 'older-than': age } = parseArgs({ args, options }).values
    if (!name || !age) throw new AdminError(`Whose runs, and of which age?\n  ${purgeRuns.usage}`, 2)
    const before = momentOf('older-than', age, Date.now())
    const { openInstance } = await import('./open-instance.ts')
    const { comparedWith, deleteRuns } = await import('./purging/runs.ts')
    await using instance = await openInstance(dir)
    const { bus } = instance
    // Set to nothing new, a project answers as it is.
    const question = { name }
    const { project_id: projectId } = await ask<SetProject, ProjectSetAnswer>(
      bus,
      asks.setProject,
      question,
      {
        timeoutMs: answerLimitMs,
      },
    )
    const kept = await comparedWith(bus, projectId)
    const deleted = await deleteRuns(instance, { projectId, before, kept })
    return { project_id: projectId, before: before.toISOString(), deleted }
  },
}
