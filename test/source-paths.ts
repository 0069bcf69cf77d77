/** The TypeScript files of the project, as git lists them: those that it tracks, and new ones. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const rooms = ['contracts', 'libs', 'services', 'deploy', 'test', 'scripts']

export function sourcePaths(root: string): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...rooms]
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return listed.filter(path => path.endsWith('.ts') && existsSync(join(root, path)))
}
