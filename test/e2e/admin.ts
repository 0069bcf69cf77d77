/**
 * Runs the commands of an administrator for tests. Commands that tests call often run in this process, because a
 * separate process takes a second of CPU.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AdminError } from '../../deploy/admin/admin-error.ts'

const root = join(import.meta.dirname, '../..')

type Command = { run(args: string[], dir: string, print?: (line: string) => void): Promise<object> }

/**
 * The commands that tests call often. They need only the folder of the system, and no setting of its environment. If
 * bodies are in S3, `verify` reads the settings of this process.
 */
const inProcess: Record<string, () => Promise<Command>> = {
  'dead-letters': () => import('../../deploy/admin/dead-letters.ts'),
  'purge-project': () => import('../../deploy/admin/purge-project.ts'),
  'purge-run': async () => (await import('../../deploy/admin/purge-runs.ts')).purgeRun,
  'purge-runs': async () => (await import('../../deploy/admin/purge-runs.ts')).purgeRuns,
  'set-key': () => import('../../deploy/admin/set-key.ts'),
  'set-project': () => import('../../deploy/admin/set-project.ts'),
  verify: () => import('../../deploy/admin/verify.ts'),
}

/** Returns the JSON output of a command. Rejects like `execFile`, with `code`, `stdout` and `stderr`. */
export async function admin(dir: string, env: NodeJS.ProcessEnv, args: string[]): Promise<object> {
  const [name = '', ...others] = args
  const command = await inProcess[name]?.()
  if (command !== undefined) return runHere(command, others, dir)
  const { stdout } = await promisify(execFile)(process.execPath, ['deploy/local/admin.ts', ...args], {
    cwd: root,
    env,
  })
  return JSON.parse(stdout)
}

/** Does what deploy/local/admin.ts does with a command. */
async function runHere({ run }: Command, args: string[], dir: string): Promise<object> {
  const told: string[] = []
  const result = await run(args, dir, line => told.push(line)).catch(error => {
    const isWrong = String(error.code).startsWith('ERR_PARSE_ARGS')
    const code = error instanceof AdminError ? error.exitCode : isWrong ? 2 : 1
    throw Object.assign(new Error(error.message, { cause: error }), {
      code,
      stdout: '',
      stderr: error.message,
    })
  })
  const stdout = JSON.stringify(result)
  if ('ok' in result && result.ok === false)
    throw Object.assign(new Error(`ok is false: ${stdout}`), { code: 1, stdout, stderr: told.join('\n') })
  return JSON.parse(stdout)
}
