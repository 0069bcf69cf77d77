/**
 * `purge-run` and `purge-runs`: delete crawls as their owner would; their bills stay. Without `--yes` the commands only
 * print what they would delete.
 */
import { parseArgs } from 'node:util'
import { call } from '@tidemark/bus/rpc'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { AdminError } from './admin-error.ts'
import { onStandardError, type Print } from './print.ts'
import { pastMomentOf } from './when.ts'

const answerLimitMs = 10_000
const yesOption = { yes: { type: 'boolean', default: false } } as const
const untouched = 'Nothing was deleted. To delete permanently, add --yes.'

export const purgeRun = {
  usage: 'purge-run --id N [--yes]',
  summary: 'Deletes a crawl as its owner would. Without --yes it only prints the crawl.',

  /**
   * Deletes one run. A run that is already deleted is not an error. Throws AdminError for a wrong command line and for
   * a run that never existed.
   */
  async run(args: string[], dir: string, print: Print = onStandardError): Promise<object> {
    const { id = '', yes } = parseArgs({ args, options: { id: { type: 'string' }, ...yesOption } }).values
    if (!/^[1-9]\d{0,14}$/.test(id))
      throw new AdminError(`--id is the number of a crawl.\n  ${purgeRun.usage}`, 2)
    const { openInstance } = await import('./open-instance.ts')
    const { deleteOne, findRun, statusOf } = await import('./purging/runs.ts')
    await using instance = await openInstance(dir)
    const runId = Number(id)
    const run = await findRun(instance, runId)
    if (run === null) throw new AdminError(`Run ${runId} never existed.`)
    const { projectId, url } = run
    const about = { run_id: runId, project_id: projectId, url }
    if (yes) return { ...about, deleted: await deleteOne(instance.bus, { projectId, runId }) }
    const status = await statusOf(instance.bus, { projectId, runId })
    print(untouched)
    return { ...about, status, deleted: false }
  },
}

export const purgeRuns = {
  usage: 'purge-runs --project NAME --older-than WHEN [--yes]',
  summary: 'Deletes the crawls of a project that ended before a time. Without --yes it only counts them.',

  /**
   * Deletes runs that ended before the time, except those that a monitor's next run may be compared with. A run that
   * cannot be deleted is named, and stops no others. Throws AdminError for a wrong command line, and the service's
   * Refusal for an unknown project.
   */
  async run(args: string[], dir: string, print: Print = onStandardError): Promise<object> {
    const options = { project: { type: 'string' }, 'older-than': { type: 'string' }, ...yesOption } as const
    const { project: name, 'older-than': age, yes } = parseArgs({ args, options }).values
    if (!name || !age)
      throw new AdminError(`--project and --older-than are required.\n  ${purgeRuns.usage}`, 2)
    const before = pastMomentOf('older-than', age, Date.now())
    const { openInstance } = await import('./open-instance.ts')
    const { comparedWith, countRuns, deleteRuns } = await import('./purging/runs.ts')
    await using instance = await openInstance(dir)
    const { bus } = instance
    // Without a change, this request returns the project as it is.
    const question = { name }
    const { project_id: projectId } = await call(bus, accountsRpc.setProject, question, {
      timeoutMs: answerLimitMs,
    })
    const some = { projectId, before, kept: await comparedWith(bus, projectId) }
    const about = { project_id: projectId, name, before: before.toISOString() }
    if (!yes) {
      const counted = await countRuns(instance, some)
      print(untouched)
      return { ...about, ...counted, deleted: 0 }
    }
    const { deleted, failed } = await deleteRuns(instance, some, print)
    return { ok: failed.length === 0, ...about, deleted, failed }
  },
}
