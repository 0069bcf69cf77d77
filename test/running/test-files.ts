/** Finds the test files to run. */
import fs from 'node:fs/promises'
import path from 'node:path'

const excluded = new Set(['node_modules', '.tidemark', '.tap', '.git'])

/** Returns the named files and all test files of the named folders, relative to the root and sorted. */
export async function testFiles(root: string, named: readonly string[]): Promise<string[]> {
  const files = await Promise.all(
    named.map(name => filesOf(root, path.relative(root, path.resolve(root, name)))),
  )
  return [...new Set(files.flat())].sort()
}

async function filesOf(root: string, name: string): Promise<string[]> {
  if (!(await fs.stat(path.join(root, name))).isDirectory()) return [name]
  const exclude = (name: string) => excluded.has(path.basename(name))
  return Array.fromAsync(fs.glob(path.join(name, '**/*.test.ts'), { cwd: root, exclude }))
}
