/**
 * Runs `npm run admin` for the launcher in a short-lived child process. The launcher lives as long as the services and
 * loads no client of the bus, to use little memory.
 */
import path from 'node:path'
import type { CreateProject, ProjectCreatedResponse } from '@tidemark/contracts/rpc/accounts'
import { command } from './command.ts'
import { LaunchError } from './launch-error.ts'

const limitMs = 30_000

/** Creates a project in the instance of this `run.json`. Throws LaunchError CALL_FAILED with the output. */
export async function createProject(
  runFile: string,
  { name, tier, unlimited = false }: Pick<CreateProject, 'name'> & Partial<CreateProject>,
): Promise<ProjectCreatedResponse> {
  const options = [
    `--name=${name}`,
    ...(tier ? [`--tier=${tier}`] : []),
    ...(unlimited ? ['--unlimited'] : []),
  ]
  const args = [path.join(import.meta.dirname, 'admin.ts'), 'create-project', ...options]
  const env = { ...process.env, TIDEMARK_DIR: path.dirname(path.resolve(runFile)) }
  const { code, output } = await command(process.execPath, args, { env, limitMs })
  const json = output.split('\n').findLast(line => line.startsWith('{'))
  if (code !== 0 || json === undefined) {
    throw new LaunchError('CALL_FAILED', `the project "${name}" was not created: ${output || `exit ${code}`}`)
  }
  return JSON.parse(json)
}
