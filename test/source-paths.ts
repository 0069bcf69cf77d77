/** The TypeScript files of the project, as git lists them: tracked files and new ones. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folders = ['clients', 'contracts', 'libs', 'services', 'deploy', 'test', 'scripts']

export function sourcePaths(root: string): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders]
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return listed.filter(path => /\.tsx?$/.test(path) && existsSync(join(root, path)))
}
