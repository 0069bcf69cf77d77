/** What the services of a test's system wrote to their logs. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The lines of all logs that match, file by file.
 * @param dir The folder of the system.
 */
export async function logLines(dir: string, pattern: RegExp): Promise<string[]> {
  const folder = join(dir, 'logs')
  const texts = await Promise.all((await readdir(folder)).map(file => readFile(join(folder, file), 'utf8')))
  return texts.flatMap(text => text.split('\n').filter(line => pattern.test(line)))
}
