/** Log lines of the services of a test's system. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the matching lines of all logs, file by file.
 * @param dir the folder of the system
 */
export async function logLines(dir: string, pattern: RegExp): Promise<string[]> {
  const folder = join(dir, 'logs')
  const texts = await Promise.all((await readdir(folder)).map(file => readFile(join(folder, file), 'utf8')))
  return texts.flatMap(text => text.split('\n').filter(line => pattern.test(line)))
}
